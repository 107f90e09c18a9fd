import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { cookieName, cookieOf } from '../http/session-cookies.js';
import type { ProviderInstance } from '../provider-instance.js';

/** @returns the user name of who is signed in at the provider with this browser, once the request has been answered. */
export function signedInUsername(
  instance: ProviderInstance,
  http: MockRequest,
  { headers }: ProviderResponse,
): string | undefined {
  const start = `${cookieName(instance, 'session')}=`;
  const set = [headers['Set-Cookie'] ?? []].flat().find((line) => line.startsWith(start));
  const id = set?.slice(start.length).split(';', 1)[0] || cookieOf(instance, http, 'session');
  return instance.sessions.get(id)?.account.username;
}
