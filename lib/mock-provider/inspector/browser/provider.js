import { byID } from './dom.js';
import { selectionQuery, startSelection } from './selection.js';

/**
 * @import { KnownFault } from '../../control/snapshot.js'
 * @import { InspectorView } from '../view.js'
 */

const POLL_INTERVAL_MS = 1000;
const script = /** @type {HTMLScriptElement} */ (document.currentScript);
const base = new URL('.', script.src);
const token = metaContent('inspector-token');
const run = metaContent('inspector-run');

/** The ETag of the state that is shown, and its query. */
let shown = { query: '', etag: '' };
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {(state: InspectorView) => void} */
let listener = () => {};

/** @param {string} name */
function metaContent(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';
}

/**
 * @param {'on' | 'off' | 'paused'} state
 * @param {string} text
 */
function showConnection(state, text) {
  byID('live').textContent = text;
  byID('live').className = `live ${state}`;
}

/** @param {string} [message] */
export function showError(message) {
  byID('alert').hidden = !message;
  byID('alert').textContent = message ?? '';
}

async function loadState() {
  const query = selectionQuery();
  const response = await fetch(new URL(`state.json?${query}`, base), {
    headers: shown.etag && shown.query === query ? { 'if-none-match': shown.etag } : {},
    cache: 'no-store',
  });
  // The user selected something else in the meantime.
  if (response.status === 304 || query !== selectionQuery()) return;
  if (!response.ok) throw new Error((await response.json()).message);
  const state = await response.json();
  if (state.run !== run) {
    location.reload();
    return;
  }
  shown = { query, etag: response.headers.get('etag') ?? '' };
  listener(state);
}

async function poll() {
  clearTimeout(timer);
  if (document.hidden) return showConnection('paused', 'Paused');
  try {
    await loadState();
    showConnection('on', 'Live');
  } catch {
    showConnection('off', 'The provider does not respond');
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
  startSelection(poll);
  return poll();
}

/** @returns {Promise<KnownFault[]>} */
export async function loadFaults() {
  return (await fetch(new URL('faults.json', base))).json();
}

/**
 * Calls an operation of the control API, then loads the state. Shows the message of a response that reports an error.
 * @returns the result, or undefined after an error
 * @param {string} operation
 * @param {object} [body]
 * @param {string} [query]
 */
export async function callControl(operation, body = {}, query = '') {
  showError();
  const headers = { 'content-type': 'application/json', 'x-inspector-token': token };
  try {
    const url = new URL(`operations/${operation}${query}`, base);
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const result = await response.json();
    if (!response.ok) throw new Error(result.message);
    await loadState();
    return result;
  } catch (error) {
    const isDown = error instanceof TypeError || !(error instanceof Error);
    showError(isDown ? 'The provider does not respond: it was stopped.' : error.message);
  }
}
