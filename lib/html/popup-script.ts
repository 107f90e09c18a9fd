/**
 * The part of the client script for a sign-in in a window of its own. A link asks for it by `data-clinician-display="popup"`;
 * where there is no window to be had, it stays a link. The two windows talk by a channel of their origin and not through each
 * other, because `Cross-Origin-Opener-Policy: same-origin` (helmet's default) parts them.
 */
export const popupScript = `
let waiting;

function signInWindow(event) {
  const link = event.target instanceof Element && event.target.closest('a[data-clinician-display="popup"]');
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const address = new URL(link.href);
  if (address.origin !== location.origin || !window.BroadcastChannel) return;
  address.searchParams.set('display', 'popup');
  const opened = window.open(address.href, '_blank', 'popup,width=520,height=720');
  if (!opened) return;
  event.preventDefault();
  opened.opener = null;
  if (waiting) waiting.close();
  waiting = new BroadcastChannel('clinician');
  waiting.onmessage = ({ data }) => {
    if (data !== 'signed-in') return;
    waiting.close();
    goTo(address.searchParams.get('returnTo'));
  };
}

function goTo(path) {
  const target = new URL(path || '/', location.href);
  if (target.origin !== location.origin) showAnew();
  else if (target.pathname + target.search === location.pathname + location.search) showAnew();
  else location.assign(target.href);
}

function showAnew() {
  location.replace(location.pathname + location.search);
}

function signInWindowDone() {
  tell('signed-in');
  setTimeout(() => window.close(), 200);
}

function tell(word) {
  if (!window.BroadcastChannel) return;
  const channel = new BroadcastChannel('clinician');
  channel.postMessage(word);
  channel.close();
}
`;
