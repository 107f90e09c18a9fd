import { digest } from '../http/digest.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { Representation } from '../http/response.js';
import type { House } from '../provider-instance.js';
import type { Grant } from '../state/grants.js';
import { PROFILE_FAULTS, USERINFO_FAULTS } from './profile-faults.js';

type Members = Record<string, unknown>;

/** @returns the claims of userinfo, spoilt when a fault waits for them. */
export function strikeUserinfo({ faults }: House, http: MockRequest, { client }: Grant, claims: Members): Members {
  const struck = faults.strike('userinfo', { http, endpoint: PATHS.userinfo, client: client.id });
  return struck ? USERINFO_FAULTS[struck.name as keyof typeof USERINFO_FAULTS].act(claims) : claims;
}

/** @returns the profile, spoilt when a fault waits for it. */
export function strikeProfile(
  { faults }: House,
  http: MockRequest,
  { client }: Grant,
  found: Representation,
): Representation {
  const struck = faults.strike('profile', { http, endpoint: http.path, client: client.id });
  if (struck === undefined) return found;
  const spoilt = PROFILE_FAULTS[struck.name as keyof typeof PROFILE_FAULTS].act(JSON.parse(found.body) as Members);
  const body = JSON.stringify(spoilt);
  return { body, etag: `"${digest(body)}"` };
}
