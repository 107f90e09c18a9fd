/**
 * @param {MouseEvent} event
 * @param {string} selector
 * @returns the link that was clicked. The elements of a form replace its members, such as `closest`; a link has no such members.
 */
export function clickedLink(event, selector) {
  if (event.defaultPrevented) return undefined;
  for (const element of event.composedPath()) {
    if (element instanceof HTMLAnchorElement && element.matches(selector)) return element;
  }
  return undefined;
}
