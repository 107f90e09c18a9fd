import { clickedLink } from '../../html/browser/clicked-link.js';
import { CHANNEL, dispatch, reloadPage } from '../../html/browser/open-pages.js';

// A part of the client script, for the site's own pages. `Cross-Origin-Opener-Policy: same-origin` (helmet's default) removes the
// reference from a popup to the page that has opened it: they exchange messages through a BroadcastChannel.

window.addEventListener('click', openPopup);

/** @type {BroadcastChannel | undefined} */
let waiting;

/**
 * Opens the popup when a link with `data-clinician-display="popup"` is clicked. If no popup can be opened, the browser
 * follows the link. After the sign-in the document gets the event `clinician:signed-in`, whose `detail.returnTo` is the path that the
 * link returns to, by default the front page. The browser then goes there, or loads this page again if it is that page, unless a
 * listener prevents the default of the event.
 * @param {MouseEvent} event
 */
function openPopup(event) {
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
