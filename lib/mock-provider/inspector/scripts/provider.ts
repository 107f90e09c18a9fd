/** Talks to the provider: asks for its state each second, and presses its buttons. */
export const PROVIDER_SCRIPT = `
import { byID } from './dom.js';

const meta = (name) => document.querySelector('meta[name="' + name + '"]').content;
const base = new URL('.', import.meta.url);
const token = meta('inspector-token');
const run = meta('inspector-run');
const PAUSE = 1000;

let etag;
let timer;
let listener = () => {};

function say(state, text) {
  byID('live').textContent = text;
  byID('live').className = 'live ' + state;
}

export function complain(message) {
  byID('alert').hidden = !message;
  byID('alert').textContent = message ?? '';
}

async function look() {
  const response = await fetch(new URL('state.json', base), { headers: etag ? { 'if-none-match': etag } : {}, cache: 'no-store' });
  if (response.status === 304) return;
  if (!response.ok) throw new Error((await response.json()).message);
  const state = await response.json();
  if (state.run !== run) {
    location.reload();
    return;
  }
  etag = response.headers.get('etag');
  listener(state);
}

async function poll() {
  clearTimeout(timer);
  if (document.hidden) return say('paused', 'Paused');
  try {
    await look();
    say('on', 'Live');
  } catch {
    say('off', 'The provider does not answer');
  }
  clearTimeout(timer);
  timer = setTimeout(poll, PAUSE);
}

/** Tells the listener of each new state. */
export function watch(tell) {
  listener = tell;
  document.addEventListener('visibilitychange', poll);
  return poll();
}

export async function faults() {
  return (await fetch(new URL('faults.json', base))).json();
}

/** Presses a button: an operation of the control API. @returns its answer, undefined when it was refused. */
export async function press(operation, body = {}, query = '') {
  complain();
  const headers = { 'content-type': 'application/json', 'x-inspector-token': token };
  try {
    const response = await fetch(new URL('do/' + operation + query, base), { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.message);
    await look();
    return answer;
  } catch (error) {
    complain(error instanceof TypeError ? 'The provider does not answer: it was stopped.' : error.message);
    return undefined;
  }
}
`;
