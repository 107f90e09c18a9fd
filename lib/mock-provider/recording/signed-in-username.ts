import type { MockRequest } from '../http/request.js';
import type { Answer } from '../http/response.js';
import { cookieName, cookieOf } from '../http/session-cookies.js';
import type { House } from '../provider-instance.js';

/** @returns the user name of who is signed in at the provider with this browser, once the request has been answered. */
export function whoIsThere(house: House, http: MockRequest, { headers }: Answer): string | undefined {
  const start = `${cookieName(house, 'session')}=`;
  const set = [headers['Set-Cookie'] ?? []].flat().find((line) => line.startsWith(start));
  const id = set?.slice(start.length).split(';', 1)[0] || cookieOf(house, http, 'session');
  return house.sessions.get(id)?.account.username;
}
