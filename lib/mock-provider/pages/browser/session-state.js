// The script of the check_session_iframe (OpenID Connect Session Management 1.0, sections 3.1 and 3.2). It responds to each
// message with `changed`, `unchanged` or `error`, and only to the window that sent it.

const MAX_MESSAGE_LENGTH = 4096;
const cookiePrefix = `${document.currentScript?.dataset.cookie}=`;

function browserState() {
  const pair = document.cookie.split('; ').find((one) => one.startsWith(cookiePrefix));
  return pair?.slice(cookiePrefix.length);
}

/** @param {unknown} message `client_id session_state`, the session_state as `hash.salt` */
function parse(message) {
  if (typeof message !== 'string' || message.length > MAX_MESSAGE_LENGTH) return undefined;
  const space = message.lastIndexOf(' ');
  const clientID = message.slice(0, Math.max(space, 0));
  const [hash, salt, more] = message.slice(space + 1).split('.');
  if (!clientID || clientID !== clientID.trim() || !hash || !salt || more !== undefined) return undefined;
  return { clientID, hash, salt };
}

/** @param {string} text */
async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// A browser that blocks the cookie in frames gets `error`: `changed` would make the client send one request after another.
async function isCookieBlocked() {
  return typeof document.hasStorageAccess === 'function' && !(await document.hasStorageAccess());
}

/** @param {MessageEvent} event */
async function check({ data, origin }) {
  const message = parse(data);
  if (!message || !crypto.subtle) return 'error';
  const state = browserState();
  if (!state) return (await isCookieBlocked()) ? 'error' : 'changed';
  const { clientID, hash, salt } = message;
  return (await digest([clientID, origin, state, salt].join(' '))) === hash ? 'unchanged' : 'changed';
}

addEventListener('message', async (event) => {
  const { source, origin } = event;
  if (!source || source === window || !origin || origin === 'null') return;
  const result = await check(event).catch(() => 'error');
  /** @type {Window} */ (source).postMessage(result, origin);
});
