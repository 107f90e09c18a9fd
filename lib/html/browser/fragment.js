// The callback of a login with `responseMode: 'fragment'`: a server does not receive the fragment of an address.

/**
 * Posts the authorization response in the fragment to the callback, and then opens the callback, which reads it from its cookie.
 * The response is removed from the address first, so that it is not in the history of the browser.
 */
export function postFragment() {
  const path = location.pathname;
  const response = location.hash.slice(1);
  history.replaceState(null, '', path);
  const next = (/** @type {boolean} */ isSaved) => location.replace(isSaved ? path : `${path}?fragment=none`);
  if (!response) return next(false);
  fetch(path, { method: 'POST', body: new URLSearchParams(response) }).then(
    ({ ok }) => next(ok),
    () => next(false),
  );
}
