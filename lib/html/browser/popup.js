// Sign-in in a popup. The popup and the page that opened it exchange messages through a BroadcastChannel of their origin:
// `Cross-Origin-Opener-Policy: same-origin` (helmet's default) removes the reference from one to the other.

const CHANNEL = 'clinician';

/** @type {BroadcastChannel | undefined} */
let waiting;

/**
 * Opens the popup when a link with `data-clinician-display="popup"` is clicked. If no popup can be opened, the browser
 * follows the link. After the sign-in the document gets the event `clinician:signed-in`, whose `detail.returnTo` is the path that the
 * link returns to, by default the front page. The browser then goes there, or loads this page again if it is that page, unless a
 * listener prevents the default of the event.
 * @param {MouseEvent} event
 */
export function openPopup(event) {
  const link = clickedLink(event, '[data-clinician-display="popup"]');
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || !window.BroadcastChannel) return;
  const address = new URL(link.href);
  address.searchParams.set('display', 'popup');
  const popup = window.open(address.href, '_blank', 'popup,width=520,height=720');
  if (!popup) return;
  event.preventDefault();
  popup.opener = null;
  waiting?.close();
  const channel = new BroadcastChannel(CHANNEL);
  waiting = channel;
  channel.onmessage = ({ data }) => {
    const [event, inBrowser = ''] = String(data).split(' ');
    if (event !== 'signed-in') return;
    channel.close();
    const requested = address.searchParams.get('returnTo') || '/';
    // The popup of another tab may have another path. The login route is below the home page of its site.
    const isOwn = requested === '/' ? address.pathname.startsWith(inBrowser) : inBrowser.endsWith(requested);
    const target = targetOf(isOwn ? inBrowser : requested);
    const detail = { returnTo: target.pathname + target.search + target.hash };
    if (dispatch(window, 'clinician:signed-in', detail)) goTo(target);
  };
}

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

/**
 * Runs in the popup at the end of the sign-in: notifies the page that opened it, and closes. Only the site knows the path to
 * return to: a proxy may have stripped a part of it. A page that has loaded an earlier version of this script waits for the
 * second message.
 * @param {DOMStringMap} data
 */
export function popupSignedIn({ returnTo }) {
  if (returnTo) broadcast(`signed-in ${returnTo}`);
  broadcast('signed-in');
  setTimeout(() => window.close(), 200);
}

/**
 * @param {string} path
 * @returns a page of this site: this one for a path of another site
 */
function targetOf(path) {
  const target = new URL(path || '/', location.href);
  return target.origin === location.origin ? target : new URL(location.href);
}

/** @param {URL} target */
function goTo(target) {
  const isThisPage = target.pathname + target.search === location.pathname + location.search;
  if (isThisPage) reloadPage(location);
  else location.assign(target.href);
}

/**
 * Loads the page again without its fragment: `location.reload()` would repeat a POST.
 * @param {Location} location
 */
export function reloadPage(location) {
  location.replace(location.pathname + location.search);
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
