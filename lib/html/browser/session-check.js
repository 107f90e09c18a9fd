import { broadcast, onBroadcast, reloadPage } from './popup.js';

// Watches the session at the service (OIDC Session Management 3.1; service spec, "Session check").
//
// The page posts a message to the service's frame about every 30 seconds while it is visible. `error`, an unknown message or no response
// ends the check. `changed` starts one silent check at a time; it never signs the user out by itself. A browser that blocks
// the service's cookies in frames always reports `changed`, and the silent check fails too: so `login_required` counts only
// in a browser that has reported `unchanged` before.

const DEFAULT_INTERVAL_MS = 30_000;
const MIN_INTERVAL_MS = 2_000;
const SILENT_CHECK_TIMEOUT_MS = 20_000;
const STORAGE_KEY = 'clinician-session-check';

/** @param {DOMStringMap} parameters the data- attributes of the page in the hidden frame */
export function watchSession({ clientId, sessionState, frame: address, silentCheck, signOut, interval }) {
  if (!clientId || !sessionState || !address || !silentCheck || !signOut) return;
  const intervalMs = Math.max(MIN_INTERVAL_MS, Number(interval) || DEFAULT_INTERVAL_MS);
  const { origin } = new URL(address);
  const frame = hiddenFrame(address);
  let current = sessionState;
  /** @type {'idle' | 'waiting' | 'checking' | 'stopped'} */
  let phase = 'idle';
  let isNewState = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {number} delayMs */
  function schedule(delayMs) {
    clearTimeout(timer);
    if (phase !== 'stopped' && !document.hidden) timer = setTimeout(poll, delayMs);
  }
  function scheduleNext() {
    schedule(Math.max(MIN_INTERVAL_MS, intervalMs * (0.8 + 0.4 * Math.random())));
  }
  function stop() {
    phase = 'stopped';
    clearTimeout(timer);
    frame.remove();
  }
  function poll() {
    if (phase === 'waiting') stop();
    if (phase !== 'idle') return;
    phase = 'waiting';
    frame.contentWindow?.postMessage(`${clientId} ${current}`, origin);
    scheduleNext();
  }
  function startSilentCheck() {
    phase = 'checking';
    clearTimeout(timer);
    checkSilently(/** @type {string} */ (silentCheck), (outcome, newState) => {
      if (outcome === 'same' && newState) {
        current = newState;
        isNewState = true;
        phase = 'idle';
        scheduleNext();
        return;
      }
      stop();
      if (outcome === 'ended') broadcast('signed-out');
      if (outcome === 'login_required' && hasCheckWorked()) signOutHere(/** @type {string} */ (signOut));
    });
  }

  window.addEventListener('message', (event) => {
    if (phase !== 'waiting' || event.source !== frame.contentWindow || event.origin !== origin) return;
    phase = 'idle';
    if (event.data === 'unchanged') {
      isNewState = false;
      saveCheckWorks(true);
    } else if (event.data === 'changed' && !isNewState) startSilentCheck();
    else stop(); // `changed` right after a new session_state: the next silent check would have the same result
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else if (phase === 'idle' || phase === 'waiting') schedule(MIN_INTERVAL_MS);
  });
  frame.addEventListener('load', () => schedule(0), { once: true });
}

/**
 * @param {string} address
 * @param {(outcome: string, sessionState?: string) => void} done
 */
function checkSilently(address, done) {
  const frame = hiddenFrame(address);
  const timer = setTimeout(() => finish('error'), SILENT_CHECK_TIMEOUT_MS);
  /**
   * @param {string} outcome
   * @param {string} [sessionState]
   */
  function finish(outcome, sessionState) {
    clearTimeout(timer);
    window.removeEventListener('message', receive);
    frame.remove();
    done(outcome, sessionState);
  }
  /** @param {MessageEvent} event */
  function receive({ source, origin, data }) {
    if (source !== frame.contentWindow || origin !== location.origin) return;
    if (data && data.clinician === 'silent-check') finish(data.outcome, data.sessionState);
  }
  window.addEventListener('message', receive);
}

/** @param {string} address */
function signOutHere(address) {
  saveCheckWorks(false);
  fetch(address, { method: 'POST', headers: { accept: 'application/json' } }).then(
    (response) => response.ok && broadcast('signed-out'),
    () => undefined,
  );
}

// A browser may block localStorage. The variable then holds the value while the page is open.
let works = false;

/** @param {boolean} value */
function saveCheckWorks(value) {
  works = value;
  try {
    if (value) localStorage.setItem(STORAGE_KEY, 'works');
    else localStorage.removeItem(STORAGE_KEY);
  } catch {}
}

function hasCheckWorked() {
  try {
    return works || localStorage.getItem(STORAGE_KEY) === 'works';
  } catch {
    return works;
  }
}

/** @param {string} address */
function hiddenFrame(address) {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = 'Session check';
  frame.src = address;
  document.body.append(frame);
  return frame;
}

/**
 * Runs in the frame of a silent check: reports its outcome to the page around it.
 * @param {DOMStringMap} result
 */
export function reportSilentCheck({ clinicianOutcome: outcome, sessionState }) {
  if (window.parent === window) return;
  window.parent.postMessage({ clinician: 'silent-check', outcome, sessionState }, location.origin);
}

/**
 * Runs in a page of the site that has the frame of the session check. When the session has ended, the document gets the event
 * `clinician:signed-out`; unless a listener prevents its default, the page is loaded again.
 */
export function listenForSignOut() {
  onBroadcast((message) => {
    if (message !== 'signed-out') return;
    const event = new CustomEvent('clinician:signed-out', { cancelable: true });
    if (document.dispatchEvent(event)) reloadPage();
  });
}
