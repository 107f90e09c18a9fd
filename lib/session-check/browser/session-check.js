import { broadcast, dispatch, onBroadcast, reloadPage } from '../../html/browser/open-pages.js';

// Watches the session at the service (OIDC Session Management 3.1; service spec, "Session check").
//
// The page posts a message to the service's frame about every 30 seconds while it is visible. `changed` is reported to the site, which
// checks at the next navigation which user is signed in at the service. `error`, an unknown message or no response ends the check.
// A browser that blocks the service's cookies in frames always responds `changed`: so the site checks once for each login whose
// session_state this browser has never found `unchanged`.

const INTERVAL_MS = 30_000;
const MIN_INTERVAL_MS = 2_000;
/** Each instance of the sign-in has its own page, whose path is in its messages and in the name of its stored value. */
const storageKey = () => `clinician-session-check ${location.pathname}`;

const watched = /** @type {HTMLElement | null} */ (document.querySelector('[data-clinician-session-check]'));
// A page of another site can open this page in a window, and count its frames.
if (watched && parent !== window) {
  notifyPage();
  watchSession(watched.dataset);
}

/** @param {DOMStringMap} parameters the data- attributes of the page in the hidden frame */
function watchSession({ clientId, sessionState, frame: address }) {
  // Also for a signed-out user: another site can open the page around this one, and count the frames in it.
  const frame = hiddenFrame(address);
  if (!clientId || !sessionState || !address) return;
  const { origin } = new URL(address);
  /** @type {'idle' | 'waiting' | 'stopped'} */
  let phase = 'idle';
  let lastEvent = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {number} delayMs */
  function schedule(delayMs) {
    clearTimeout(timer);
    if (phase !== 'stopped' && !document.hidden) timer = setTimeout(poll, delayMs);
  }
  function stop() {
    phase = 'stopped';
    clearTimeout(timer);
    frame.src = 'about:blank';
  }
  function poll() {
    if (phase === 'waiting') stop();
    if (phase !== 'idle') return;
    phase = 'waiting';
    frame.contentWindow?.postMessage(`${clientId} ${sessionState}`, origin);
    schedule(INTERVAL_MS * (0.8 + 0.4 * Math.random()));
  }

  /**
   * Reports the change to the site, and the event that the site returns to all its open pages, once.
   * @param {string} query
   */
  async function reportChange(query) {
    const address = location.pathname + query;
    const response = await fetch(address, { method: 'POST', headers: { accept: 'application/json' } });
    const { event } = await response.json();
    if (event === 'signed-out' || (query && !event)) stop();
    if (event && event !== lastEvent) broadcast(`${event} ${location.pathname}`);
    lastEvent = event;
  }

  window.addEventListener('message', (event) => {
    if (phase !== 'waiting' || event.source !== frame.contentWindow || event.origin !== origin) return;
    phase = 'idle';
    const state = /** @type {string} */ (sessionState);
    if (event.data === 'unchanged') saveUnchanged(state);
    else if (event.data !== 'changed') stop();
    // A site that cannot be reached receives the next report.
    else reportChange(wasUnchanged(state) ? '' : `?first=${encodeURIComponent(state)}`).catch(() => undefined);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else if (phase !== 'stopped') schedule(MIN_INTERVAL_MS);
  });
  frame.addEventListener('load', () => schedule(0), { once: true });
}

// A browser may block localStorage. The variable then holds the value while the page is open.
let lastUnchanged = '';

/** @param {string} sessionState */
function saveUnchanged(sessionState) {
  lastUnchanged = sessionState;
  try {
    localStorage.setItem(storageKey(), sessionState);
  } catch {}
}

/** @param {string} sessionState */
function wasUnchanged(sessionState) {
  try {
    return localStorage.getItem(storageKey()) === sessionState;
  } catch {
    return lastUnchanged === sessionState;
  }
}

/** @param {string} [address] */
function hiddenFrame(address = 'about:blank') {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = document.title;
  frame.src = address;
  document.body.append(frame);
  return frame;
}

/**
 * Notifies the page of the site around this frame, which has the same origin. Its document gets the event `clinician:session-changed`
 * when the session at the service has changed, and `clinician:signed-out` when the login here has ended. After
 * `clinician:signed-out` that page is loaded again, unless a listener prevents the default of the event.
 */
function notifyPage() {
  const { pathname } = location;
  onBroadcast((message) => {
    if (message === `signed-out ${pathname}` && dispatch(parent, 'clinician:signed-out')) reloadPage(parent.location);
    if (message === `session-changed ${pathname}`) dispatch(parent, 'clinician:session-changed');
  });
}
