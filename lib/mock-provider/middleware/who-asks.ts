import type { House } from '../house.js';
import { readBasic } from '../protocol/client-authentication.js';
import { Refusal } from '../refusal.js';
import type { MockRequest } from '../request.js';
import { bearerToken } from './bearer.js';

/** @returns the client_id that a request names, believed or not: for faults, problems and the record. */
export function whoAsks(house: House, http: MockRequest): string | undefined {
  const { authorization } = http.headers;
  const named = http.query.get('client_id') ?? (http.isForm ? http.form.get('client_id') : undefined);
  if (named !== undefined || authorization === undefined) return named;
  const bearer = bearerToken(http.headers);
  if (bearer !== undefined && bearer !== 'malformed') return house.grants.byAccessToken(bearer.token)?.client.id;
  const credentials = readBasic(authorization);
  return credentials instanceof Refusal ? undefined : credentials.id;
}
