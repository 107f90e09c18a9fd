import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { PagesOptions } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { navigation, signedInAt, siteFor } from './site.js';
import { strategySite } from './strategy-site.js';

/** @returns the page after a sign-out of a site with this look */
async function pageOf(pages: PagesOptions): Promise<{ text: string; policy: string }> {
  const { text, headers } = await supertest(siteFor(provider, { pages }).app).get('/auth/logged-out').set(navigation);
  return { text, policy: headers['content-security-policy'] as string };
}

const sources = (policy: string, directive: string) =>
  policy
    .split(/; ?/)
    .find((part) => part.startsWith(`${directive} `))
    ?.split(' ')
    .slice(1);

describe.each(['logoURL', 'stylesheet'] as const)('the address of pages.%s', (name) => {
  test.each([
    'javascript:alert(1)',
    ' https://cdn.example/x',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'http://cdn.example/x',
    '//cdn.example/x',
    '/\\cdn.example/x',
    '/\t/cdn.example/x',
    'logo.svg',
    'https:cdn.example/x',
    'https://',
    'https://user:password@cdn.example/x',
    '',
  ])('%j is refused without its value', (address) => {
    const create = () => siteFor(provider, { pages: { [name]: address } });
    expect(create).toThrow(expect.objectContaining({ code: 'option_invalid' }));
    expect(create).toThrow(/must be a path of your site .*, or an https URL, without a user name or a password\.$/);
  });

  test('does not end its attribute', async () => {
    const { text } = await pageOf({ [name]: `/a"onerror=alert(1)'><script>` });
    expect(text).toContain('="/a&quot;onerror=alert(1)&#39;&gt;&lt;script&gt;"');
    expect(text).not.toContain('<script');
  });

  test('does not add a directive or a source to the policy', async () => {
    const directives = (policy: string) => policy.split(/; ?/).map((part) => part.split(' ')[0]);
    const { policy: plain } = await pageOf({ [name]: '/plain' });
    for (const end of [';sandbox', "; script-src *, default-src * 'unsafe-inline'?b;c,d", ',sandbox']) {
      const { policy } = await pageOf({ [name]: `https://cdn.example/a${end}` });
      expect(directives(policy)).toEqual(directives(plain));
      expect(policy).not.toMatch(/ \*|,| 'unsafe/);
    }
  });
});

test('the policy allows exactly the logo, the style sheet, and fonts of its host', async () => {
  const look = { logoURL: 'https://cdn.example/logo.svg?v=3', stylesheet: 'https://assets.example/css/clinician.css' };
  const { text, policy } = await pageOf({ siteName: 'Rounds', ...look });
  expect(sources(policy, 'img-src')).toEqual(["'self'", 'https://cdn.example/logo.svg']);
  expect(sources(policy, 'style-src')).toEqual(["'self'", 'https://assets.example/css/clinician.css']);
  expect(sources(policy, 'font-src')).toEqual(["'self'", 'https://assets.example']);
  expect(sources(policy, 'default-src')).toEqual(["'none'"]);
  expect(sources(policy, 'base-uri')).toEqual(["'none'"]);
  expect(sources(policy, 'form-action')).toEqual(["'self'"]);
  expect(sources(policy, 'frame-ancestors')).toEqual(["'none'"]);
  expect(text).toContain(
    '<img class="clinician-site-logo" src="https://cdn.example/logo.svg?v=3" alt=""><bdi>Rounds</bdi>',
  );
  expect(text.indexOf(look.stylesheet)).toBeGreaterThan(text.indexOf('/auth/clinician.css'));
});

test('each page of a sign-in has the look of the site', async () => {
  const pages = { siteName: 'Rounds', logoURL: 'https://cdn.example/logo.svg' };
  const { app } = siteFor(provider, { pages });
  const agent = await signedInAt(app, provider, 'pending');
  for (const path of ['/notes', '/auth/logout', '/auth/callback?code=a&state=b']) {
    const { text, headers } = await agent.get(path).set(navigation).redirects(1);
    expect(text).toContain('src="https://cdn.example/logo.svg"');
    expect(sources(headers['content-security-policy'] as string, 'img-src')).toContain('https://cdn.example/logo.svg');
  }
});

test('files of the site itself need no further source', async () => {
  const { text, policy } = await pageOf({ logoURL: '/logo.svg?v=3', stylesheet: '/brand.css' });
  expect(sources(policy, 'font-src')).toEqual(["'self'"]);
  expect(text).toContain('src="/logo.svg?v=3" alt=""');
  expect(text).toContain('<link rel="stylesheet" href="/brand.css">');
  expect(policy.replace("; font-src 'self'", '')).toBe((await pageOf({})).policy);
});

test('the pages of ClinicianStrategy have the look and the texts of the site too', async () => {
  const options = { pages: { siteName: 'Rounds' }, texts: { confirmSignInTitle: 'Weiter' } };
  const { app } = strategySite(provider, { ...options, session: { cookie: { sameSite: 'strict' } } });
  const { text } = await supertest(app).get('/auth/callback?code=c&state=s').set(navigation).expect(200);
  expect(text).toContain('<title>Weiter - Rounds</title>');
  expect(text).toContain('<h1>Weiter</h1>');
});
