/**
 * The script inside the check_session_iframe (OpenID Connect Session Management 1.0 sections 3.1 and 3.2; decisions 68 to 73).
 * It answers `changed`, `unchanged` or `error` to whoever asks, and to nobody else.
 */
export function sessionStateScript(cookieName: string): string {
  return `
'use strict';
(() => {
  const longest = 4096;

  function browserState() {
    const start = ${JSON.stringify(`${cookieName}=`)};
    const found = document.cookie.split('; ').find((pair) => pair.startsWith(start));
    return found && found.slice(start.length);
  }

  function read(message) {
    if (typeof message !== 'string' || message.length > longest) return undefined;
    const space = message.lastIndexOf(' ');
    const clientID = message.slice(0, Math.max(space, 0));
    const [hash, salt, more] = message.slice(space + 1).split('.');
    if (!clientID || clientID !== clientID.trim() || !hash || !salt || more !== undefined) return undefined;
    return { clientID, hash, salt };
  }

  async function digest(text) {
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
    return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  }

  // Where the browser hides the cookie, 'changed' would come for ever, and who asks would ask the service again and again.
  async function isKeptFromCookies() {
    return typeof document.hasStorageAccess === 'function' && !(await document.hasStorageAccess());
  }

  async function reply({ data, origin }) {
    const asked = read(data);
    if (!asked || !crypto.subtle) return 'error';
    const state = browserState();
    if (!state) return (await isKeptFromCookies()) ? 'error' : 'changed';
    const { clientID, hash, salt } = asked;
    return (await digest([clientID, origin, state, salt].join(' '))) === hash ? 'unchanged' : 'changed';
  }

  addEventListener('message', async (event) => {
    const { source, origin } = event;
    if (!source || source === window || !origin || origin === 'null') return;
    const answer = await reply(event).catch(() => 'error');
    source.postMessage(answer, origin);
  });
})();
`;
}
