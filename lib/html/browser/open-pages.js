// The pages of this site in this browser exchange messages through a BroadcastChannel of their origin.

export const CHANNEL = 'clinician';

/** @param {string} message */
export function broadcast(message) {
  if (!window.BroadcastChannel) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(message);
  channel.close();
}

/** @param {(message: unknown) => void} listener */
export function onBroadcast(listener) {
  if (!window.BroadcastChannel) return;
  new BroadcastChannel(CHANNEL).onmessage = ({ data }) => listener(data);
}

/**
 * Dispatches an event to the document, for the scripts of the site.
 * @param {Window} page
 * @param {string} name
 * @param {object} [detail]
 * @returns false if a listener prevented the default
 */
export function dispatch({ document }, name, detail) {
  const event = new CustomEvent(name, { cancelable: true, detail });
  // An element of the page with this name replaces the member of its document.
  return EventTarget.prototype.dispatchEvent.call(document, event);
}

/**
 * Loads the page again without its fragment: `location.reload()` would repeat a POST.
 * @param {Location} location
 */
export function reloadPage(location) {
  location.replace(location.pathname + location.search);
}
