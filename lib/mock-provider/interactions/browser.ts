import type { House } from '../house.js';
import { cookieOf } from '../middleware/session-cookies.js';
import type { MockRequest } from '../request.js';
import type { Session } from '../stores/sessions.js';

/** @returns who is signed in with this browser; the inbox has a cookie of its own, as it is not below /oauth. */
export function sessionOf(house: House, http: MockRequest, name: 'session' | 'inbox' = 'session'): Session | undefined {
  return house.sessions.get(cookieOf(house, http, name));
}
