import { expect, test } from '@jest/globals';
import { findLink } from '../../../lib/mock-provider/headless/page-form.js';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizeURL } from '../wire.js';

test('findLink() finds a link by its path, whatever its text is', () => {
  const page = '<a href="/oauth/logins">Sign in</a> <a class="x" href="/oauth/login?a=1&amp;b=2"><b>Next</b></a>';
  expect(findLink(page, '/oauth/login')).toBe('/oauth/login?a=1&b=2');
  expect(findLink(page, '/oauth/registration')).toBeUndefined();
});

test('provider.signIn() follows the link from the registration page to the login page', async () => {
  const provider = await startMockProvider();
  const url = authorizeURL(provider, provider.clients.profile, { prompt: 'create' });
  expect(new URL(await provider.signIn(url, { as: 'verified' })).searchParams.has('code')).toBe(true);
  await provider.stop();
});
