import { applyRedirectFault } from '../../faults/apply-redirect-fault.js';
import type { Added } from '../../faults/redirect-faults.js';
import type { MockRequest } from '../../http/request.js';
import { type ProviderResponse, redirectResponse } from '../../http/response.js';
import { cookieOf } from '../../http/session-cookies.js';
import type { ProviderInstance } from '../../provider-instance.js';
import type { Refusal } from '../refusal.js';
import { sessionState } from '../session-state.js';
import type { ResponseTarget } from './authorization-request.js';

/** Redirects to the client with the parameters and, when it was sent, `state`, byte for byte (decision 36). */
export function respond(
  instance: ProviderInstance,
  http: MockRequest,
  target: ResponseTarget,
  parameters: Added,
  cookies: string[] = [],
): ProviderResponse {
  const iss = instance.rules.issParameter ? instance.issuer : undefined;
  const added = applyRedirectFault(instance, http, target, { ...parameters, state: target.state, iss });
  return redirectResponse(http.method, withParameters(target, added), cookies);
}

/** Tells the client of a refusal (RFC 6749 section 4.1.2.1). */
export function respondError(
  instance: ProviderInstance,
  http: MockRequest,
  target: ResponseTarget,
  { error, description }: Refusal,
  cookies: string[] = [],
): ProviderResponse {
  const parameters = {
    error,
    error_description: description,
    session_state: errorSessionState(instance, http, target),
  };
  return respond(instance, http, target, parameters, cookies);
}

/** Decision 37: off unless an option turns it on. */
function errorSessionState(instance: ProviderInstance, http: MockRequest, target: ResponseTarget): string | undefined {
  if (!instance.rules.sessionStateOnErrors || !target.isOpenID) return undefined;
  const browserState = cookieOf(instance, http, 'browserState');
  return browserState && sessionState(target.client.id, target.redirectURI, browserState);
}

/** What the address holds already is kept as it stands (decision 9). */
function withParameters({ redirectURI, responseMode }: ResponseTarget, added: Added): string {
  const text = Object.entries(added)
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return responseMode === 'fragment' ? `${redirectURI}#${text}` : withQuery(redirectURI, text);
}

/** @returns an address with more in its query. */
export function withQuery(address: string, text: string): string {
  if (!address.includes('?')) return `${address}?${text}`;
  return `${address}${/[?&]$/.test(address) ? '' : '&'}${text}`;
}
