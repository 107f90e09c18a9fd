import { digest } from '../http/digest.js';
import { randomToken } from '../http/random.js';
import type { Session } from '../state/sessions.js';

/** The replies of the session check page. */
export type SessionCheck = 'unchanged' | 'changed' | 'error';

/** @returns the session_state of a client, the origin of its redirect URI and a browser state. */
export function sessionState(clientID: string, redirectURI: string, browserState: string): string {
  return hashed(clientID, new URL(redirectURI).origin, browserState, randomToken());
}

/**
 * @returns the reply of the session check page in a browser that has one of these sessions. Unlike the page it has no
 * cookies, so none can be blocked.
 */
export function checkSession(
  { clientID, sessionState, origin }: { clientID: string; sessionState: string; origin: string },
  sessions: readonly Session[],
): SessionCheck {
  const message = `${clientID} ${sessionState}`;
  const space = message.lastIndexOf(' ');
  const [client, state] = [message.slice(0, space), message.slice(space + 1)];
  const [, salt] = /^[^.]+\.([^.]+)$/.exec(state) ?? [];
  if (client === '' || client !== client.trim() || salt === undefined) return 'error';
  for (const { browserState } of sessions) {
    if (hashed(client, origin, browserState, salt) === state) return 'unchanged';
  }
  return 'changed';
}

function hashed(clientID: string, origin: string, browserState: string, salt: string): string {
  return `${digest(`${clientID} ${origin} ${browserState} ${salt}`)}.${salt}`;
}
