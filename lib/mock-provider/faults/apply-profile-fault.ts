import { digest } from '../http/digest.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { Representation } from '../http/response.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Grant } from '../state/grants.js';
import { PROFILE_FAULTS, USERINFO_FAULTS } from './profile-faults.js';

type Members = Record<string, unknown>;

/** @returns the claims of userinfo, spoilt when a fault waits for them. */
export function applyUserinfoFault(
  { faults }: ProviderInstance,
  http: MockRequest,
  { client }: Grant,
  claims: Members,
): Members {
  const matched = faults.take('userinfo', { http, endpoint: PATHS.userinfo, client: client.id });
  return matched ? USERINFO_FAULTS[matched.name as keyof typeof USERINFO_FAULTS].apply(claims) : claims;
}

/** @returns the profile, spoilt when a fault waits for it. */
export function applyProfileFault(
  { faults }: ProviderInstance,
  http: MockRequest,
  { client }: Grant,
  found: Representation,
): Representation {
  const matched = faults.take('profile', { http, endpoint: http.path, client: client.id });
  if (matched === undefined) return found;
  const altered = PROFILE_FAULTS[matched.name as keyof typeof PROFILE_FAULTS].apply(JSON.parse(found.body) as Members);
  const body = JSON.stringify(altered);
  return { body, etag: `"${digest(body)}"` };
}
