import { digest } from '../http/digest.js';
import { randomToken } from '../state/random.js';

/** What the session iframe replies to a poller. */
export type SessionCheck = 'unchanged' | 'changed' | 'error';

/** @returns a session_state: it binds client, origin of the redirect URI and the browser's state together (decision 68). */
export function sessionState(clientID: string, redirectURI: string, browserState: string): string {
  return sealed(clientID, new URL(redirectURI).origin, browserState, randomToken());
}

/**
 * @returns what the session iframe replies in any browser that has one of these browser states (decisions 70 to 72). Other
 * than the iframe this knows of no cookies, and so of no blocked ones.
 */
export function checkSession(
  { clientID, sessionState, origin }: { clientID: string; sessionState: string; origin: string },
  browserStates: Iterable<string>,
): SessionCheck {
  const message = `${clientID} ${sessionState}`;
  const space = message.lastIndexOf(' ');
  const [client, state] = [message.slice(0, space), message.slice(space + 1)];
  const [, salt] = /^[^.]+\.([^.]+)$/.exec(state) ?? [];
  if (client === '' || client !== client.trim() || salt === undefined) return 'error';
  for (const browserState of browserStates) {
    if (sealed(client, origin, browserState, salt) === state) return 'unchanged';
  }
  return 'changed';
}

function sealed(clientID: string, origin: string, browserState: string, salt: string): string {
  return `${digest(`${clientID} ${origin} ${browserState} ${salt}`)}.${salt}`;
}
