import { reloadPage } from './popup.js';

// Reloads a page that its user does not use now, and that would lose no input.

const IDLE_MS = 30_000;
const USE = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'scroll', 'touchstart'];

let hasInput = false;

/** Notes input of every kind, also in elements that are not form fields. */
export function watchInput() {
  document.addEventListener('input', () => {
    hasInput = true;
  });
}

/** Reloads the page once it is visible, has not been used for 30 seconds and holds no unsaved input. */
export function reloadWhenIdle() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(reloadIfIdle, IDLE_MS);
  };
  function reloadIfIdle() {
    // A page with unsaved input is checked at its next navigation.
    if (document.hidden || hasInput || hasChangedField()) wait();
    else reloadPage();
  }
  for (const type of USE) document.addEventListener(type, wait, { capture: true, passive: true });
  wait();
}

/** @returns {boolean} whether a form field has another value than the page was sent with, also one that the browser restored */
function hasChangedField() {
  const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll('textarea, input:not([type=hidden], [type=range], [type=color])')
  );
  const isChecked = [...inputs].some((input) => input.checked !== input.defaultChecked);
  const isFilled = [...inputs].some(
    ({ type, value, defaultValue }) => type !== 'checkbox' && type !== 'radio' && value !== defaultValue,
  );
  return isChecked || isFilled || [...document.querySelectorAll('select')].some(isChangedSelect);
}

/** @param {HTMLSelectElement} select */
function isChangedSelect({ options, selectedIndex }) {
  const all = [...options];
  const hasDefault = all.some(({ defaultSelected }) => defaultSelected);
  return hasDefault ? all.some((option) => option.selected !== option.defaultSelected) : selectedIndex > 0;
}
