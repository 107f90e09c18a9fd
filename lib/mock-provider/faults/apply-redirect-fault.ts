import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ResponseTarget } from '../protocol/authorization/authorization-request.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { LogoutFaultName, RedirectFaultName } from './fault-names.js';
import { LOGOUT_FAULTS } from './logout-faults.js';
import { type Added, REDIRECT_FAULTS } from './redirect-faults.js';

/** @returns what an authorization response says, spoilt when a fault waits for it. */
export function applyRedirectFault(
  { faults }: ProviderInstance,
  http: MockRequest,
  target: ResponseTarget,
  added: Added,
): Added {
  const context = { http, endpoint: PATHS.authorize, client: target.client.id };
  const matched = faults.take('redirect', context, (name) => {
    const { needs } = REDIRECT_FAULTS[name as RedirectFaultName];
    return needs === undefined || added[needs] !== undefined;
  });
  if (matched === undefined) return added;
  const { apply: act, finish } = REDIRECT_FAULTS[matched.name as RedirectFaultName];
  http.transformResponse = finish;
  return act(added, target, matched.options);
}

/** @returns the state that a client gets back after a logout: its own, unless a fault waits for it. */
export function applyLogoutFault(
  { faults }: ProviderInstance,
  http: MockRequest,
  { client, state }: { client: string; state: string | undefined },
): string | undefined {
  const matched = faults.take('logout', { http, endpoint: PATHS.logout, client }, (name) => {
    return !LOGOUT_FAULTS[name as LogoutFaultName].needsState || state !== undefined;
  });
  return matched ? LOGOUT_FAULTS[matched.name as LogoutFaultName].apply : state;
}
