import type { Cookies } from '../http/cookies.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { readBasic } from '../protocol/client-authentication.js';
import { decodeUnverifiedClaims } from '../protocol/id-token.js';
import { Refusal } from '../protocol/refusal.js';
import type { Grant } from '../state/grants.js';
import type { SessionStore } from '../state/sessions.js';

/** @returns the client of the access token in a request, otherwise the client_id that it names, not verified: for faults and records only. */
export function clientOfRequest(http: MockRequest, grant: Grant | undefined): string | undefined {
  const clientID = grant?.client.id ?? parameter(http, 'client_id');
  if (clientID !== undefined) return clientID;
  if (http.path === PATHS.logout) return authorizedParty(parameter(http, 'id_token_hint'));
  const credentials = http.basic && readBasic(http.basic);
  return credentials === undefined || credentials instanceof Refusal ? undefined : credentials.id;
}

function parameter(http: MockRequest, name: string): string | undefined {
  return http.query.get(name) ?? (http.isForm ? http.form.get(name) : undefined);
}

function authorizedParty(idToken: string | undefined): string | undefined {
  const azp = idToken === undefined ? undefined : decodeUnverifiedClaims(idToken).azp;
  return typeof azp === 'string' ? azp : undefined;
}

/** @returns the username of the clinician who is signed in at the provider in this browser, after the response. */
export function signedInUsername(
  http: MockRequest,
  { headers }: ProviderResponse,
  { cookies, sessions }: { cookies: Cookies; sessions: Pick<SessionStore, 'get'> },
): string | undefined {
  const { 'Set-Cookie': lines } = headers;
  const id = (lines && sessionSetBy([lines].flat(), cookies)) || cookies.read(http, 'session');
  return sessions.get(id)?.account.username;
}

function sessionSetBy(setCookies: readonly string[], cookies: Cookies): string | undefined {
  const start = `${cookies.nameOf('session')}=`;
  const set = setCookies.find((line) => line.startsWith(start));
  return set?.slice(start.length).split(';', 1)[0];
}
