import { digest } from '../digest.js';
import { randomToken } from '../random.js';

/** Decision 68: binds client, origin of the redirect URI and the browser's state together. */
export function sessionState(
  clientID: string,
  redirectURI: string,
  browserState: string,
  salt: string = randomToken(),
): string {
  const { origin } = new URL(redirectURI);
  return `${digest(`${clientID} ${origin} ${browserState} ${salt}`)}.${salt}`;
}
