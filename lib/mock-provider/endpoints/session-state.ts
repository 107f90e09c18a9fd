import { hash } from 'node:crypto';
import type { MockRequest } from '../http/request.js';
import { documentResponse, type ProviderResponse, type StaticDocument, staticDocument } from '../http/response.js';
import { cookieName } from '../http/session-cookies.js';
import script from '../pages/browser/session-state.js?text';
import type { ProviderInstance } from '../provider-instance.js';

const scriptHash = hash('sha256', script, 'base64');
/** One for each provider: the cookie's name is its own. */
const pages = new WeakMap<ProviderInstance, StaticDocument>();

/** Decision 73: the one page that may be framed, by everybody; its policy lets this one script run and nothing else happen. */
function pageOf(instance: ProviderInstance): StaticDocument {
  const known = pages.get(instance);
  if (known !== undefined) return known;
  const cookie = cookieName(instance, 'browserState');
  const page = staticDocument(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Session check</title></head><body><script data-cookie="${cookie}">${script}</script></body></html>\n`,
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${scriptHash}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  );
  pages.set(instance, page);
  return page;
}

/** GET /oauth/session_state (decisions 68 to 73): the same bytes for everybody. */
export function sessionStatePage(instance: ProviderInstance, { headers }: MockRequest): ProviderResponse {
  return documentResponse(pageOf(instance), headers['if-none-match']);
}
