import { COOKIES } from '../endpoints/cookies.js';
import type { House } from '../house.js';
import type { MockRequest } from '../request.js';
import type { Session } from '../stores/sessions.js';

type CookieName = keyof typeof COOKIES;

/** @returns what this browser sends in one of our cookies. */
export function cookieOf(_house: House, http: MockRequest, name: CookieName): string | undefined {
  return http.cookie(COOKIES[name]);
}

/** @returns who is signed in with this browser; the inbox has a cookie of its own, as it is not below /oauth. */
export function sessionOf(house: House, http: MockRequest, name: 'session' | 'inbox' = 'session'): Session | undefined {
  return house.sessions.get(cookieOf(house, http, name));
}
