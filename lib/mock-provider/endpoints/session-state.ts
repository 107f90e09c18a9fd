import { hash } from 'node:crypto';
import type { Cookies } from '../http/cookies.js';
import { documentResponse, type StaticDocument, staticDocument } from '../http/response.js';
import script from '../pages/browser/session-state.js?text';
import type { Endpoint } from '../protocol/endpoint.js';

/** Creates GET /oauth/session_state: the only page that any site may frame. */
export function createSessionStateEndpoint(cookies: Pick<Cookies, 'nameOf'>): Endpoint {
  let page: StaticDocument | undefined;
  return function sessionState(http) {
    page ??= sessionStatePage(cookies.nameOf('browser_state'));
    return documentResponse(page, http.ifNoneMatch);
  };
}

/** Creates the page. Its policy allows only its own script. */
function sessionStatePage(cookie: string): StaticDocument {
  return staticDocument(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Session check</title></head><body><script data-cookie="${cookie}">${script}</script></body></html>\n`,
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache', // the response can show that the session has ended
      'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${hash('sha256', script, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  );
}
