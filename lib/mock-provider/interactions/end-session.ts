import type { MockRequest } from '../http/request.js';
import { cookie, cookieOf } from '../http/session-cookies.js';
import type { House } from '../provider-instance.js';
import { randomToken } from '../state/random.js';

/** Signs out: the session ends and the browser state changes (decisions 69, 80). @returns the cookies to set */
export function endSession(house: House, http: MockRequest): string[] {
  const id = cookieOf(house, http, 'session');
  if (house.rules.logoutRevokesTokens) revokeTokens(house, id);
  house.sessions.end(id);
  return [cookie(house, 'session', ''), cookie(house, 'browserState', randomToken())];
}

/** Decision 81: an option; by itself logout revokes nothing. */
function revokeTokens(house: House, sessionID: string | undefined): void {
  for (const code of house.sessions.get(sessionID)?.codes ?? []) {
    const found = house.grants.findCode(code);
    if (found) house.grants.revoke(found.grant);
  }
}
