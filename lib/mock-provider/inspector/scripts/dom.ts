/** Makes elements. Whatever is shown is put in as text: what a hostile person or site sent stays text. */
export const DOM_SCRIPT = `
export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === false) continue;
    if (key === 'onclick') element.addEventListener('click', value);
    else if (key === 'ontoggle') element.addEventListener('toggle', value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat(9).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

export const byID = (id) => document.getElementById(id);

const shown = new WeakMap();

/**
 * Fills a place anew, but only when what it is made of has changed; who was at a button is at it again, and what somebody
 * opened or closed stays so.
 */
export function fill(place, data, build) {
  const text = JSON.stringify(data) ?? '';
  if (shown.get(place) === text) return;
  shown.set(place, text);
  const held = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const scrolled = [...place.querySelectorAll('[data-scroll]')].map((one) => one.scrollTop);
  const toggled = [...place.querySelectorAll('details[data-key]')].filter((one) => String(one.open) !== one.dataset.meant);
  const open = new Map(toggled.map((one) => [one.dataset.key, one.open]));
  place.replaceChildren(...[build(data)].flat(9).filter(Boolean));
  for (const one of place.querySelectorAll('details[data-key]')) {
    one.dataset.meant = one.open;
    if (open.has(one.dataset.key)) one.open = open.get(one.dataset.key);
  }
  [...place.querySelectorAll('[data-scroll]')].forEach((one, at) => { one.scrollTop = scrolled[at] ?? 0; });
  if (held !== undefined) [...place.querySelectorAll('[data-key]')].find((one) => one.dataset.key === held)?.focus();
}

export function badge(tone, text) {
  return h('span', { class: 'badge ' + tone }, text);
}

/** A list of names and values. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== '');
  return h('dl', {}, known.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}
`;
