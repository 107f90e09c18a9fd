import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ResponseTarget } from '../protocol/authorization/authorization-request.js';
import type { House } from '../provider-instance.js';
import type { LogoutFaultName, RedirectFaultName } from './fault-names.js';
import { LOGOUT_FAULTS } from './logout-faults.js';
import { type Added, REDIRECT_FAULTS } from './redirect-faults.js';

/** @returns what an authorization response says, spoilt when a fault waits for it. */
export function strikeRedirect({ faults }: House, http: MockRequest, target: ResponseTarget, added: Added): Added {
  const occasion = { http, endpoint: PATHS.authorize, client: target.client.id };
  const struck = faults.strike('redirect', occasion, (name) => {
    const { needs } = REDIRECT_FAULTS[name as RedirectFaultName];
    return needs === undefined || added[needs] !== undefined;
  });
  if (struck === undefined) return added;
  const { act, finish } = REDIRECT_FAULTS[struck.name as RedirectFaultName];
  http.spoil = finish;
  return act(added, target, struck.options);
}

/** @returns the state that a client gets back after a logout: its own, unless a fault waits for it. */
export function strikeLogout(
  { faults }: House,
  http: MockRequest,
  { client, state }: { client: string; state: string | undefined },
): string | undefined {
  const struck = faults.strike('logout', { http, endpoint: PATHS.logout, client }, (name) => {
    return !LOGOUT_FAULTS[name as LogoutFaultName].needsState || state !== undefined;
  });
  return struck ? LOGOUT_FAULTS[struck.name as LogoutFaultName].act : state;
}
