import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Cookies } from '../sealing/cookies.js';
import { randomText, type Secret } from '../sealing/secret.js';
import type { SessionRequest } from './site-session.js';

/** The cookie is of all instances on a host, in place of the id of one. */
const ALL_INSTANCES = 'shared';
const ID_BYTES = 18;

/**
 * @returns a function that identifies the browser of a sign-in by a random cookie, which it sets in a browser without one. It returns
 * the digest that the login contains: a session that an attacker has planted has logins with the digest of another browser
 * @internal
 */
export function createBrowserID(options: { secure: boolean; secrets: readonly Secret[] }) {
  const cookie = new Cookies({ ...options, instance: ALL_INSTANCES, basePath: '' }).plain('browser');
  return function browserID(req: SessionRequest, res: ServerResponse): string {
    const known = cookie.read(req);
    const id = known || randomText(ID_BYTES);
    if (id !== known) cookie.set(res, id);
    return createHash('sha256').update(id).digest('base64url');
  };
}
