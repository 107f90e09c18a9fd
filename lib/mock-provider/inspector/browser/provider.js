import { byID } from './dom.js';

/** @import { InspectorView } from '../view.js' */

const POLL_INTERVAL_MS = 1000;
const script = /** @type {HTMLScriptElement} */ (document.currentScript);
const base = new URL('.', script.src);
const token = metaContent('inspector-token');
const run = metaContent('inspector-run');

/** The ETag of the state that is shown, and the fragment that it is of. */
let shown = { fragment: '', etag: '' };
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {(state: InspectorView) => void} */
let listener = () => {};

/** @param {string} name */
function metaContent(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';
}

/** @returns the fragment of the page's address, which names what is open: `login-3`, `request-12` or `other-requests` */
export function selectedEntry() {
  return location.hash.slice(1);
}

/**
 * @param {'good' | 'bad' | 'wait'} tone
 * @param {string} text
 */
function showConnection(tone, text) {
  byID('live').textContent = text;
  byID('live').className = `live ${tone}`;
}

/** @param {string} [message] */
function showError(message) {
  byID('alert').hidden = !message;
  byID('alert').textContent = message ?? '';
}

async function loadState() {
  const fragment = selectedEntry();
  const response = await fetch(new URL(`state.json?${new URLSearchParams({ open: fragment })}`, base), {
    headers: shown.etag && shown.fragment === fragment ? { 'if-none-match': shown.etag } : {},
    cache: 'no-store',
  });
  // The user selected something else in the meantime.
  if (response.status === 304 || fragment !== selectedEntry()) return;
  if (!response.ok) throw new Error((await response.json()).message);
  const state = await response.json();
  if (state.run !== run) {
    location.reload();
    return;
  }
  shown = { fragment, etag: response.headers.get('etag') ?? '' };
  listener(state);
}

async function poll() {
  clearTimeout(timer);
  if (document.hidden) return showConnection('wait', 'Paused');
  try {
    await loadState();
    showConnection('good', 'Live');
  } catch {
    showConnection('bad', 'The provider does not respond');
  }
  clearTimeout(timer);
  timer = setTimeout(poll, POLL_INTERVAL_MS);
}

/**
 * Calls the listener with each new state, until the page is closed.
 * @param {(state: InspectorView) => void} onState
 */
export function startPolling(onState) {
  listener = onState;
  document.addEventListener('visibilitychange', poll);
  addEventListener('hashchange', poll);
  return poll();
}

/**
 * Calls an operation of the control API, then loads the state. Shows the message of a response that reports an error.
 * @returns the result, or undefined after an error
 * @param {'POST' | 'DELETE'} method
 * @param {string} operation
 * @param {object} [body]
 */
export async function callControl(method, operation, body = {}) {
  showError();
  const headers = { 'content-type': 'application/json', 'x-inspector-token': token };
  try {
    const url = new URL(`operations/${operation}`, base);
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const result = await response.json();
    if (!response.ok) throw new Error(result.message);
    await loadState();
    return result;
  } catch (error) {
    const isDown = error instanceof TypeError || !(error instanceof Error);
    showError(isDown ? 'The provider does not respond: it was stopped.' : error.message);
  }
}
