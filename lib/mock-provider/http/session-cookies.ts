import type { ProviderInstance } from '../provider-instance.js';
import type { MockRequest } from './request.js';

/**
 * `session`: somebody is signed in; the inbox is not below /oauth, so it has a copy of its own. `interaction`: binds the
 * pages of a sign-in to this browser. `browserState`: what is behind session_state; the session iframe's script reads it.
 */
export type CookieName = 'session' | 'interaction' | 'browserState' | 'inbox';

type Jar = Pick<ProviderInstance, 'port' | 'prefix' | 'secure'>;

/** Names of its own for each provider and sandbox: cookies ignore ports, so a site and two providers share a jar (decision 10). */
export function cookieName({ port, prefix }: Jar, name: CookieName): string {
  return `clinician_mock_${port}${prefix.replaceAll(/[^A-Za-z0-9]/g, '_')}_${name === 'browserState' ? 'browser_state' : name}`;
}

/** @returns what this browser sends in one of our cookies. */
export function cookieOf(instance: Jar, http: MockRequest, name: CookieName): string | undefined {
  return http.cookie(cookieName(instance, name));
}

/** @returns a Set-Cookie value: Lax over http, None and Secure over TLS; script may read the browser state alone (decision 69). */
export function cookie(instance: Jar, name: CookieName, value: string): string {
  const site = instance.secure ? 'SameSite=None; Secure' : 'SameSite=Lax';
  const script = name === 'browserState' ? '' : '; HttpOnly';
  const life = value === '' ? '; Max-Age=0' : '';
  const path = instance.prefix + (name === 'inbox' ? '/inbox' : '/oauth');
  return `${cookieName(instance, name)}=${value}; Path=${path}; ${site}${script}${life}`;
}
