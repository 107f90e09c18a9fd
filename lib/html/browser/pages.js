import { showLocalTimes } from './times.js';

// The script of this package's pages. It is part of their HTML and has no URL: a page of the site, with HTML of a user, cannot load it.

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement | null} */ (document.querySelector(selector));
const form = /** @type {HTMLFormElement | null} */ (find('form[data-clinician-submit]'));
form?.submit();
showLocalTimes();
const back = find('[data-clinician-back]');
if (back) back.hidden = false;
back?.addEventListener('click', (event) => {
  event.preventDefault();
  history.back();
});
