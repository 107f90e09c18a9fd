import { bearerToken } from '../http/bearer.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { readBasic } from '../protocol/client-authentication.js';
import { decodeUnverifiedClaims } from '../protocol/id-token.js';
import { Refusal } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';

/** @returns the client_id that a request names, believed or not: for faults, problems and the record. */
export function clientOfRequest(instance: ProviderInstance, http: MockRequest): string | undefined {
  const { authorization } = http.headers;
  const named = http.query.get('client_id') ?? (http.isForm ? http.form.get('client_id') : undefined);
  if (named !== undefined) return named;
  if (http.path === PATHS.logout) return whoLeaves(http);
  if (http.path === PATHS.userinfo && authorization === undefined) {
    const token = http.isForm ? http.form.get('access_token') : undefined;
    return token === undefined ? undefined : instance.grants.byAccessToken(token)?.client.id;
  }
  if (authorization === undefined) return undefined;
  const bearer = bearerToken(http.headers);
  if (bearer !== undefined && bearer !== 'malformed') return instance.grants.byAccessToken(bearer.token)?.client.id;
  const credentials = readBasic(authorization);
  return credentials instanceof Refusal ? undefined : credentials.id;
}

/** A logout says it in the ID Token that it comes with (decision 76). */
function whoLeaves(http: MockRequest): string | undefined {
  const hint = http.query.get('id_token_hint') ?? (http.isForm ? http.form.get('id_token_hint') : undefined);
  const azp = hint === undefined ? undefined : decodeUnverifiedClaims(hint).azp;
  return typeof azp === 'string' ? azp : undefined;
}
