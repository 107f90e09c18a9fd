import type { SiteAgent, SiteResponse } from './site-agent.js';

interface CookieJar {
  getCookies(access: object): unknown;
}

const standing = new WeakSet<object>();

/**
 * Lets an agent that speaks plain http be the browser of a site that is reached by https: what the site then sees is what it sees
 * behind a proxy that ends TLS. Secure cookies come back, and `X-Forwarded-Proto` says https, for a site that trusts its proxy.
 * @returns false when the agent is none that this can be done with, or when it was done before.
 */
export function simulateTLSProxy(agent: SiteAgent<SiteResponse>): boolean {
  const { jar, set } = agent as { jar?: CookieJar; set?: (header: string, value: string) => unknown };
  if (standing.has(agent) || typeof jar?.getCookies !== 'function' || typeof set !== 'function') return false;
  const getCookies = jar.getCookies.bind(jar);
  // What asks for all cookies names no domain, and gets the Secure ones anyway.
  jar.getCookies = (access) => getCookies('domain' in access ? { ...access, secure: true } : access);
  set.call(agent, 'X-Forwarded-Proto', 'https');
  standing.add(agent);
  return true;
}

export function isBehindTLS(agent: SiteAgent<SiteResponse>): boolean {
  return standing.has(agent);
}
