import { expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { authorizePath, type PageResponse, Visitor } from '../visitor.js';

/** @returns the address of the link to the inspector. */
const linkOf = ({ text }: PageResponse): string | undefined =>
  /<footer><a class="button quiet" href="([^"]*)" target="_blank" rel="noopener">Open in the inspector<\/a>/.exec(
    text,
  )?.[1];

/** Checks that the page links to the last recorded request, and that the address opens the inspector. */
async function expectLink(page: PageResponse, { issuer, requests }: MockProvider): Promise<void> {
  const { number, status } = requests.at(-1) ?? {};
  expect([linkOf(page), page.status]).toEqual([`${issuer}/_mock/inspector#request-${number}`, status]);
  const inspector = await fetch(String(linkOf(page)));
  expect(await inspector.text()).toContain('<title>Inspector');
}

test.each<[string, (visitor: Visitor) => Promise<PageResponse>]>([
  ['login', (visitor) => visitor.get(authorizePath(provider))],
  ['error', (visitor) => visitor.get('/oauth/authorize')],
])('the page %s links to its request in the inspector', async (_, show) => {
  await expectLink(await show(new Visitor(provider)), provider);
});

test('a page for another machine, or for a page with another host name, has no link', async () => {
  for (const headers of [{ 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }]) {
    expect(linkOf(await new Visitor(provider).get(authorizePath(provider), headers as never))).toBeUndefined();
  }
  await using proxied = await startMockProvider({ publicURL: 'https://mock.example' });
  const page = await proxied.fetch(`https://mock.example${authorizePath(proxied)}`);
  const text = await page.text();
  expect(text).toContain('<h1>Sign in</h1>');
  expect(text).not.toContain('_mock');
  expect((await proxied.fetch('https://mock.example/')).status).toBe(404);
});
