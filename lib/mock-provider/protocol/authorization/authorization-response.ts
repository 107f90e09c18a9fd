import type { MockRequest } from '../../http/request.js';
import { clientRedirectResponse, type ProviderResponse } from '../../http/response.js';
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
  parameters: Readonly<Record<string, string | undefined>>,
  cookies: string[] = [],
): ProviderResponse {
  const iss = instance.rules.issParameter ? instance.issuer : undefined;
  const { client, redirectURI, responseMode, state } = target;
  return clientRedirectResponse(
    http.method,
    { clientID: client.id, uri: redirectURI, mode: responseMode, parameters: { ...parameters, state, iss } },
    cookies,
  );
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
