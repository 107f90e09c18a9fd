import type { MockRequest } from '../http/request.js';
import { cookie, cookieOf } from '../http/session-cookies.js';
import type { ProviderInstance } from '../provider-instance.js';
import { randomToken } from '../state/random.js';

/** Signs out: the session ends and the browser state changes (decisions 69, 80). @returns the cookies to set */
export function endSession(instance: ProviderInstance, http: MockRequest): string[] {
  const id = cookieOf(instance, http, 'session');
  if (instance.rules.logoutRevokesTokens) revokeTokens(instance, id);
  instance.sessions.end(id);
  return [cookie(instance, 'session', ''), cookie(instance, 'browserState', randomToken())];
}

/** Decision 81: an option; by itself logout revokes nothing. */
function revokeTokens(instance: ProviderInstance, sessionID: string | undefined): void {
  for (const code of instance.sessions.get(sessionID)?.codes ?? []) {
    const found = instance.grants.findCode(code);
    if (found) instance.grants.revoke(found.grant);
  }
}
