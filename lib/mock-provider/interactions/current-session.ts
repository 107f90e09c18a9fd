import type { MockRequest } from '../http/request.js';
import { cookieOf } from '../http/session-cookies.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Session } from '../state/sessions.js';

/** @returns who is signed in with this browser; the inbox has a cookie of its own, as it is not below /oauth. */
export function currentSession(
  instance: ProviderInstance,
  http: MockRequest,
  name: 'session' | 'inbox' = 'session',
): Session | undefined {
  return instance.sessions.get(cookieOf(instance, http, name));
}
