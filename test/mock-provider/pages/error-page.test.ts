import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RegisteredClient } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { authorizePath, type PageResponse, textOf, Visitor } from '../visitor.js';
import { REDIRECT_URI as LOCAL_REDIRECT_URI, tokensOf } from '../wire.js';

const REDIRECT_URI = 'https://clinic.example/auth/callback';
const LOGGED_OUT = 'https://clinic.example/bye';
const SECRET = 'a-secret-of-more-than-21-characters';

let site: RegisteredClient;
beforeAll(() => {
  site = provider.registerClient({
    clientID: 'site',
    clientSecret: 'short secret',
    flow: 'openid',
    redirectURIs: [REDIRECT_URI, LOCAL_REDIRECT_URI],
    postLogoutRedirectURIs: [LOGGED_OUT],
  });
});

/** @returns the rows of the list on a page, and the fix before it. */
function detailsOf(page: PageResponse): Record<string, string> {
  const rows = page.text.matchAll(/<(?:dt|p><strong)>(.*?):?<\/(?:dt><dd|strong)>(.*?)<\/(?:dd|p)>/g);
  return Object.fromEntries(
    [...rows].map(([, name = '', value = '']) => [name, textOf({ ...page, text: value.replaceAll('<br>', ' | ') })]),
  );
}

const authorize = (more: Record<string, string>) =>
  new Visitor(provider).get(authorizePath(provider, { client_id: site.clientID, scope: 'openid', ...more }));
const logout = (more: Record<string, string>) =>
  new Visitor(provider).get(`/oauth/logout?${new URLSearchParams(more)}`);

describe('an error page has the value sent, the registered ones and the fix', () => {
  test('for a redirect URI, which the control API and the problems have too', async () => {
    const sent = 'https://clinic.example/auth/callback/';
    const page = await authorize({ redirect_uri: sent });
    expect(page.status).toBe(400);
    expect(detailsOf(page)).toEqual({
      Sent: sent,
      Registered: `${REDIRECT_URI} | ${LOCAL_REDIRECT_URI}`,
      Fix: 'Send redirect_uri exactly as it is registered: scheme, host, port, path and trailing slash.',
      Error: 'invalid_request',
      Rule: 'redirect-uri-exact-match',
      Source: 'RFC 9700 section 4.1.3',
    });
    expect(provider.problems.at(-1)).toMatchObject({ sent, registered: [REDIRECT_URI, LOCAL_REDIRECT_URI] });
  });

  test('for a post-logout redirect URI', async () => {
    const { id_token } = await tokensOf(provider, site);
    const sent = 'https://clinic.example/auth/logged-out';
    const page = await logout({ id_token_hint: id_token, post_logout_redirect_uri: sent });
    expect(detailsOf(page)).toMatchObject({
      Sent: sent,
      Registered: LOGGED_OUT,
      Fix: 'Register the post_logout_redirect_uri, and send it exactly as it is registered.',
    });
  });

  test('for a post-logout redirect URI without a hint, when client_id names the client', async () => {
    const fields = { client_id: site.clientID, post_logout_redirect_uri: `${LOGGED_OUT}/` };
    expect(detailsOf(await logout(fields))).toMatchObject({ Sent: `${LOGGED_OUT}/`, Registered: LOGGED_OUT });
    const registered = await logout({ ...fields, post_logout_redirect_uri: LOGGED_OUT });
    expect(detailsOf(registered)).toMatchObject({ Rule: 'logout-parameters-required' });
  });
});

test.each([
  ['in the query of a redirect URI', { redirect_uri: `${REDIRECT_URI}?code=${SECRET}` }],
  ['as a client_id', { client_id: SECRET }],
])('an error page has no secret %s', async (_, sent) => {
  const page = await authorize(sent);
  expect(page.status).toBe(400);
  expect(detailsOf(page).Sent).toContain('[masked]');
  expect(page.text).not.toContain(SECRET);
});

test('an error page shows markup in a redirect URI as text, and links to no sent value', async () => {
  const page = await authorize({ redirect_uri: 'https://evil.example/<script>alert(1)</script>' });
  expect(detailsOf(page).Sent).toContain('evil.example');
  expect(page.text).not.toContain('<script');
  expect(page.text).not.toMatch(/(?:href|src|action)="[^"]*evil\.example/);
});
