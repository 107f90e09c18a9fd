import type { House } from '../house.js';

/** Cookies have names of their own: they ignore ports, so the site under test shares the jar (decision 10). */
export const COOKIES = {
  session: 'clinician_mock_session',
  interaction: 'clinician_mock_interaction',
  browserState: 'clinician_mock_browser_state',
  inbox: 'clinician_mock_inbox',
} as const;

/** @returns a Set-Cookie value: Lax over http, None and Secure over TLS; script may read the browser state alone (decision 69). */
export function cookie(house: House, name: keyof typeof COOKIES, value: string): string {
  const site = house.secure ? 'SameSite=None; Secure' : 'SameSite=Lax';
  const script = name === 'browserState' ? '' : '; HttpOnly';
  const life = value === '' ? '; Max-Age=0' : '';
  const path = name === 'inbox' ? '/inbox' : '/oauth';
  return `${COOKIES[name]}=${value}; Path=${path}; ${site}${script}${life}`;
}
