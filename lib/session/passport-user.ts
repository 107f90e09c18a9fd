// The user of the site, as Passport stores it in the request and its session.

import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { SITE_TIMEOUT_MS, withTimeout } from '../async/timers.js';
import { randomText } from '../sealing/sealer.js';

/** The members of a request in which Passport has its functions for the session, and the names that the site can choose. */
export interface PassportRequest extends IncomingMessage {
  session?: unknown;
  /** Passport's option `userProperty`. */
  _userProperty?: string;
  /** Present if the site uses the session of Passport. */
  _sessionManager?: {
    _key?: string;
    _serializeUser(user: unknown, req: object, done: (error: unknown, user?: unknown) => void): void;
  };
}

/** @returns the user of the site, in the member of the request that Passport's option `userProperty` names. */
export function userOf(req: PassportRequest): unknown {
  return Object(req)[req._userProperty ?? 'user'];
}

/** Sets the user of the site. @param user @default none */
export function setUser(req: PassportRequest, user?: unknown): void {
  Object(req)[req._userProperty ?? 'user'] = user;
}

/** Leaves no user of the site in the request and its session. */
export function removeUser(req: PassportRequest): void {
  delete Object(req.session)[passportKeyOf(req)]?.user;
  setUser(req);
}

/** @returns the member of the session in which Passport stores the user. */
export function passportKeyOf({ _sessionManager }: PassportRequest): string {
  return _sessionManager?._key ?? 'passport';
}

/**
 * @returns the user that Passport has signed in, in the form of {@link serializedForm}; empty if it has signed none in; a value that
 * equals no other for a user that has no such form
 */
export function passportUserOf(req: PassportRequest): string {
  try {
    return serializedForm(Object(req.session)[passportKeyOf(req)]?.user);
  } catch {
    return randomText(16);
  }
}

/** @returns a user that the site has serialized, as JSON: only the `id` of an object, whose other members may change. */
function serializedForm(serialized: unknown): string {
  if (serialized === undefined) return '';
  // In the form that the store returns: an id of a database's own type is an object before, and a string after.
  const user: unknown = typeof serialized === 'object' ? JSON.parse(JSON.stringify(serialized) ?? 'null') : serialized;
  return JSON.stringify(typeof user === 'object' && user !== null && 'id' in user ? { id: user.id } : user);
}

/** @returns what Passport would store for this user, in the form of {@link serializedForm}; undefined if it cannot store it. */
export async function serializedUser(req: PassportRequest, user: unknown): Promise<string | undefined> {
  const { _sessionManager: manager } = req;
  try {
    if (!manager) return undefined;
    return serializedForm(await withTimeout(SITE_TIMEOUT_MS, promisify(manager._serializeUser)(user, req)));
  } catch {
    return undefined;
  }
}
