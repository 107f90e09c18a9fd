// Runs in the page under test: finds mistakes of the layout that a program can find.

/**
 * A text without spaces, and its place on the page.
 * @typedef {{ text: string, element: Element, box: DOMRect, lines: number, clipped: boolean }} Word
 */

/** Rectangles that overlap by less are next to each other: browsers position text at fractions of a pixel. */
const TOLERANCE_PX = 2;
/** The smallest height of a control, so that a finger can hit it. */
const MIN_CONTROL_PX = 44;
/** The words of one text that are checked. */
const MAX_WORDS = 200;
const CONTROLS =
  'button, input:not([type=hidden], [type=checkbox]), select, textarea, a.button, a.clinician-button, [role=button]';

/** @param {Element} element */
function isShown(element) {
  const { width, height } = element.getBoundingClientRect();
  return element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && width > 1 && height > 1;
}

/**
 * Returns true when the element, or one around it, shows only a part of its contents: for screen readers, or scrolled.
 * @param {Element} element
 */
function isClipped(element) {
  for (let around = element.parentElement; around && around !== document.body; around = around.parentElement) {
    if (getComputedStyle(around).overflowY !== 'visible') return true;
  }
  const { clipPath, left } = getComputedStyle(element);
  return clipPath !== 'none' || Number.parseFloat(left) < 0;
}

/** @returns {Word[]} */
function visibleWords() {
  /** @type {Word[]} */
  const words = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    const element = node.parentElement;
    if (!element || !node.data.trim() || element.matches('script, noscript, option, textarea') || !isShown(element))
      continue;
    const clipped = isClipped(element);
    for (const { 0: text, index } of [...node.data.matchAll(/\S+/g)].slice(0, MAX_WORDS)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
      words.push({ text, element, box: range.getBoundingClientRect(), lines: new Set(tops).size, clipped });
    }
  }
  return words;
}

/**
 * Returns the words that end outside of the page, or outside of a control or an element that hides its overflow.
 * @param {Word[]} words
 */
function cutOffWords(words) {
  return words.filter(({ element, box, clipped }) => {
    if (clipped) return false;
    if (box.left < -TOLERANCE_PX || box.right > innerWidth + TOLERANCE_PX) return true;
    const frame = element.closest(
      'button, a.button, a.clinician-button, .clinician-share-button, .service-share-button',
    );
    if (!frame) return false;
    const outer = frame.getBoundingClientRect();
    return (
      box.left < outer.left ||
      box.right > outer.right ||
      box.top < outer.top - TOLERANCE_PX ||
      box.bottom > outer.bottom + TOLERANCE_PX
    );
  });
}

/** Returns the elements that hide a part of their text. */
function hiddenOverflow() {
  return [...document.querySelectorAll('body *')].filter((element) => {
    const { overflowX, clipPath } = getComputedStyle(element);
    if (!['hidden', 'clip'].includes(overflowX) || clipPath !== 'none' || !isShown(element)) return false;
    return element.textContent?.trim() && element.scrollWidth > element.clientWidth;
  });
}

/**
 * Returns the pairs of words that overlap.
 * @param {Word[]} words
 */
function overlaps(words) {
  const placed = words.filter(({ lines, clipped }) => lines === 1 && !clipped);
  return placed.flatMap((one, at) =>
    placed
      .slice(at + 1)
      .filter(
        ({ box }) =>
          Math.min(box.right, one.box.right) - Math.max(box.left, one.box.left) > TOLERANCE_PX &&
          Math.min(box.bottom, one.box.bottom) - Math.max(box.top, one.box.top) > one.box.height / 3,
      )
      .map(({ text }) => `${one.text} and ${text}`),
  );
}

/**
 * Returns the fields whose border has less contrast than 3: axe-core has no rule for it (WCAG 2.2, 1.4.11).
 */
function paleBorders() {
  /** @param {string} text */
  const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  /** @param {number[]} color */
  const luminance = (color) => {
    const [r = 0, g = 0, b = 0] = color.map((c) =>
      c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  /** @param {Element | null} element */
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const fields = document.querySelectorAll('input:not([type=hidden], [type=checkbox]), select, textarea, button.quiet');
  return [...fields].filter((field) => {
    const pair = [parse(getComputedStyle(field).borderTopColor), background(field.parentElement)].map(luminance);
    return isShown(field) && (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) < 3;
  });
}

/** @type {Element[]} */
let reached = [];
/** True when the focus was at all elements. */
let isComplete = false;
/** @type {Map<Element, DOMRect>} */
let places = new Map();
/** @type {Set<Element>} */
let withoutFocusStyle = new Set();
/** @type {Map<Element, string>} */
let stylesBefore = new Map();

/** @param {Element} element */
function focusStyle(element) {
  const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor, textDecorationLine } =
    getComputedStyle(element);
  return [
    outlineStyle === 'none' ? '' : outlineWidth,
    boxShadow,
    borderColor,
    backgroundColor,
    textDecorationLine,
  ].join(' ');
}

function focusable() {
  return [
    ...document.querySelectorAll(
      'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]',
    ),
  ].filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(':disabled'));
}

/** Starts the check. @returns the number of controls */
function startKeyboardCheck() {
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  reached = [];
  isComplete = false;
  places = new Map(focusable().map((element) => [element, element.getBoundingClientRect()]));
  withoutFocusStyle = new Set();
  stylesBefore = new Map(focusable().map((element) => [element, focusStyle(element)]));
  return stylesBefore.size;
}

/**
 * Notes the element that the focus has moved to, until it is one of those before. Chromium moves the focus through its own controls
 * after the last element, and the page does not always receive the key that brings it back: it always receives the change of focus.
 */
function recordFocus() {
  const { activeElement } = document;
  if (!activeElement || activeElement === document.body || isComplete) return;
  isComplete = reached.map(current).includes(activeElement);
  if (isComplete) return;
  reached.push(activeElement);
  const box = activeElement.getBoundingClientRect();
  const isOnPage = box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight;
  if (!isOnPage || focusStyle(activeElement) === stylesBefore.get(activeElement)) withoutFocusStyle.add(activeElement);
}

/**
 * Returns true when a control is left of the one before it, in the same row.
 * @param {Element} element
 * @param {Element | undefined} before
 */
function isBackward(element, before) {
  const [here, there] = [places.get(element), before && places.get(before)];
  if (!here || !there || element === focusable()[0]) return false;
  return here.right <= there.left && here.top < there.bottom - TOLERANCE_PX && here.bottom > there.top + TOLERANCE_PX;
}

/**
 * Returns the element that has replaced this one: the inspector renders a part again when its times change.
 * @param {Element} element
 */
function current(element) {
  if (element.isConnected) return element;
  const nameIn = (/** @type {Element} */ one) =>
    [one.tagName, one.id, one.getAttribute('data-key'), one.getAttribute('aria-label')].join();
  return focusable().find((other) => nameIn(other) === nameIn(element)) ?? element;
}

function keyboardProblems() {
  reached = reached.map(current);
  const controls = focusable();
  const first = controls.indexOf(/** @type {Element} */ (reached[0]));
  const expected = [...controls.slice(first), ...controls.slice(0, first)];
  const order = expected.filter((element) => reached.includes(element));
  return [
    ...expected.filter((element) => !reached.includes(element)).map((element) => `not reached: ${nameOf(element)}`),
    ...reached.filter((element, at) => order[at] !== element).map((element) => `other order: ${nameOf(element)}`),
    ...reached
      .filter((element, at) => isBackward(element, reached[at - 1]))
      .map((element) => `to the left: ${nameOf(element)}`),
    ...[...withoutFocusStyle].map((element) => `no visible focus: ${nameOf(element)}`),
  ];
}

/** @param {Element} element */
const nameOf = (element) => element.outerHTML.slice(0, 120);
/** @param {Word} word */
const wordText = ({ text, element }) => `${text} in ${element.outerHTML.slice(0, 80)}`;

function layoutProblems() {
  const words = visibleWords();
  const controls = [...document.querySelectorAll(CONTROLS)].filter(isShown);
  const { scrollWidth } = /** @type {Element} */ (document.scrollingElement);
  return {
    tooWide: scrollWidth > innerWidth ? [`${scrollWidth} > ${innerWidth}`] : [],
    cutOff: [...cutOffWords(words).map(wordText), ...hiddenOverflow().map(nameOf)],
    overlaps: overlaps(words),
    paleBorders: paleBorders().map(nameOf),
    tooSmall: controls.filter((control) => control.getBoundingClientRect().height < MIN_CONTROL_PX).map(nameOf),
  };
}

Object.assign(globalThis, { layoutProblems, startKeyboardCheck, keyboardProblems });
addEventListener('focusin', recordFocus);
