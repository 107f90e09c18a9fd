import type { SiteAgent, SiteResponse } from './site-agent.js';

interface CookieJar {
  getCookies(access: object): unknown;
}

const behindTLS = new WeakSet<object>();

/**
 * Makes an agent on plain http behave like a browser behind a proxy that terminates TLS. It sends Secure cookies, and
 * `X-Forwarded-Proto: https` for a site that trusts its proxy.
 * @returns false for an agent without supertest's cookie jar, and for one that was changed before
 */
export function simulateTLSProxy(agent: SiteAgent<SiteResponse>): boolean {
  const { jar, set } = agent as { jar?: CookieJar; set?: (header: string, value: string) => unknown };
  if (behindTLS.has(agent) || typeof jar?.getCookies !== 'function' || typeof set !== 'function') return false;
  const getCookies = jar.getCookies.bind(jar);
  // A call without a domain returns all cookies, including Secure ones.
  jar.getCookies = (access) => getCookies('domain' in access ? { ...access, secure: true } : access);
  set.call(agent, 'X-Forwarded-Proto', 'https');
  behindTLS.add(agent);
  return true;
}
