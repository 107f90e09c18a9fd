/** @typedef {Node | string | number | false | null | undefined | readonly Child[]} Child */

/** @typedef {Record<string, string | number | boolean | undefined | ((event: Event) => void)>} Attributes */

/**
 * Creates an element: `h('p.soft', { id: 'x' }, 'text')`. Text is inserted as a text node: what a hostile user or site sent
 * remains text.
 * @param {string} selector a name with classes
 * @param {...(Attributes | Child)} rest children, after attributes: `undefined` and `false` set none; `onclick` is a listener
 * @returns {HTMLElement}
 */
export function h(selector, ...rest) {
  const [name = '', ...classes] = selector.split('.');
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(' ');
  const [first] = rest;
  const hasAttributes = first?.constructor === Object;
  for (const [key, value] of Object.entries(hasAttributes ? first : {})) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener('click', value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...nodesOf(/** @type {Child[]} */ (hasAttributes ? rest.slice(1) : rest)));
  return element;
}

/**
 * @param {Child} child
 * @returns {(Node | string)[]}
 */
function nodesOf(child) {
  if (child === undefined || child === null || child === false) return [];
  if (Array.isArray(child)) return child.flatMap(nodesOf);
  return [child instanceof Node ? child : String(child)];
}

/** @param {string} id */
export function byID(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element with the id ${id}`);
  return element;
}

/** @type {WeakMap<HTMLElement, string>} */
const shown = new WeakMap();

/**
 * Replaces the contents of an element, but only when the data has changed. Restores the focus, the scroll positions and the
 * details that the user opened or closed.
 * @param {HTMLElement} container
 * @param {unknown} data
 * @param {() => Child} build
 */
export function fill(container, data, build) {
  const text = JSON.stringify(data) ?? '';
  if (shown.get(container) === text) return;
  shown.set(container, text);
  const { activeElement } = document;
  const focused =
    activeElement instanceof HTMLElement && container.contains(activeElement) && activeElement.dataset.key;
  const scrollTops = all(container, '[data-scroll]').map((element) => element.scrollTop);
  const toggled = detailsIn(container).filter((details) => String(details.open) !== details.dataset.initial);
  const open = new Map(toggled.map((details) => [details.dataset.key, details.open]));
  container.replaceChildren(...nodesOf(build()));
  for (const details of detailsIn(container)) {
    details.dataset.initial = String(details.open);
    details.open = open.get(details.dataset.key) ?? details.open;
  }
  for (const [index, element] of all(container, '[data-scroll]').entries()) element.scrollTop = scrollTops[index] ?? 0;
  if (focused) {
    const keyed = all(container, '[data-key]');
    // The button that was used may be gone: the next control of the same part is then the nearest.
    (keyed.find((element) => element.dataset.key === focused) ?? keyed[0])?.focus();
  }
}

/**
 * @param {HTMLElement} container
 * @param {string} selector
 */
function all(container, selector) {
  return /** @type {HTMLElement[]} */ ([...container.querySelectorAll(selector)]);
}

/** @param {HTMLElement} container */
function detailsIn(container) {
  return /** @type {HTMLDetailsElement[]} */ (all(container, 'details[data-key]'));
}

/**
 * @param {string} tone
 * @param {string} text
 */
export function badge(tone, text) {
  return h(`span.badge.${tone}`, text);
}

/**
 * Creates a button. The key identifies it when the page around it is built again; without a label its text is its name.
 * @param {string} text
 * @param {string} key
 * @param {(event: Event) => void} onclick
 * @param {string} [label]
 */
export function button(text, key, onclick, label) {
  return h('button.quiet', { type: 'button', 'data-key': key, 'aria-label': label, onclick }, text);
}
