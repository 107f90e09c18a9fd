import { hash } from 'node:crypto';
import type { Cookies } from '../http/cookies.js';
import { PAGE_PATHS } from '../http/paths.js';
import { conditionalResponse, type Representation, representation } from '../http/response.js';
import pageStyle from '../pages/browser/pages.css?text';
import script from '../pages/browser/session-state.js?text';
import shareButton from '../pages/browser/share-button.js?text';
import { LOGO } from '../pages/logo.js';
import type { Endpoint, Route } from '../protocol/endpoint.js';
import type { KeyRing } from '../state/keys.js';

const CACHED = { 'Cache-Control': 'public, max-age=300' };
const JSON_HEADERS = { 'Content-Type': 'application/json', ...CACHED };

/** Creates GET of a document in JSON that never changes. */
export function createJSONEndpoint(document: object): Endpoint {
  return createDocumentEndpoint(() => JSON.stringify(document), JSON_HEADERS);
}

/** Creates GET /.well-known/jwks.json. */
export function createKeysEndpoint(keys: KeyRing): Endpoint {
  const publicKeys = () => JSON.stringify({ keys: keys.keys().map((key) => key.publicJWK) });
  return createDocumentEndpoint(publicKeys, JSON_HEADERS, () => keys.published.join(' '));
}

/** Creates GET /oauth/session_state: the only page that any site may frame. Its policy allows only its own script. */
export function createSessionStateEndpoint(cookies: Cookies): Endpoint {
  const page = () =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Session check</title></head><body><script data-cookie="${cookies.nameOf('browser_state')}">${script}</script></body></html>\n`;
  return createDocumentEndpoint(page, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache', // the response can show that the session has ended
    'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${hash('sha256', script, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
}

const CROSS_ORIGIN = { 'Cross-Origin-Resource-Policy': 'cross-origin' };
/** The photo of every clinician. */
const PHOTO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><path fill="#cfd8dc" d="M0 0h96v96H0z"/><path fill="#607d8b" d="M12 96a36 36 0 0 1 72 0zM30 36a18 18 0 0 1 36 0 18 18 0 0 1-36 0z"/></svg>';

/** The style and the icon of the pages, the photo, and the script of the share button. */
export const STATIC_FILES: readonly (readonly [path: string, Route])[] = [
  [PAGE_PATHS.style, file('text/css; charset=utf-8', pageStyle)],
  [PAGE_PATHS.logo, file('image/svg+xml', LOGO.text)],
  [PAGE_PATHS.photo, file('image/svg+xml', PHOTO, CROSS_ORIGIN)],
  [PAGE_PATHS.shareScript, file('text/javascript; charset=utf-8', shareButton, CROSS_ORIGIN)],
];

function file(type: string, text: string, more: Record<string, string> = {}): Route {
  const headers = { 'Content-Type': type, ...CACHED, 'X-Content-Type-Options': 'nosniff', ...more };
  return { GET: createDocumentEndpoint(() => text, headers), head: true };
}

/** Serialises the document again only when its version changes. */
function createDocumentEndpoint(
  make: () => string,
  headers: Record<string, string>,
  version: () => string = () => '',
): Endpoint {
  let current: { version: string; document: Representation } | undefined;
  return function readDocument(http) {
    const currentVersion = version();
    if (current?.version !== currentVersion) {
      current = { version: currentVersion, document: representation(make()) };
    }
    return conditionalResponse(current.document, headers, http.ifNoneMatch);
  };
}
