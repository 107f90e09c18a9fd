import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers/warnings.js';
import { navigation, type SiteOptions, siteFor } from '../integration/site.js';

const address = { ...navigation, 'Sec-Fetch-Dest': 'document' };

/** @returns what a site prints while a browser requests its login route, and the response. */
async function login(options: SiteOptions, headers: Record<string, string> = address) {
  const { app } = siteFor(provider, options);
  let response: supertest.Response | undefined;
  const printed = await printedBy(async () => {
    for (let request = 0; request < 2; request += 1) response = await supertest(app).get('/auth/login').set(headers);
  });
  return { printed, response: response as supertest.Response };
}

describe('a site that listens on another port of this machine than that of callbackURL', () => {
  test('prints at the first sign-in, once, where to open it, and redirects to the service', async () => {
    const { printed, response } = await login({});
    expect(printed).toEqual([
      expect.stringMatching(
        /^passport-clinician \[other_host\]: A sign-in started on 127\.0\.0\.1:\d+, and continues on http:\/\/127\.0\.0\.1:3000\. Open the site there, or change callbackURL\./,
      ),
    ]);
    expect(response.headers.location).toMatch(`${provider.issuer}/oauth/authorize?`);
  });

  test('prints nothing behind a proxy on the port of callbackURL, and for a script', async () => {
    const proxied = { ...address, Referer: 'http://127.0.0.1:3000/', Host: '127.0.0.1:8080' };
    expect((await login({}, proxied)).printed).toEqual([]);
    expect((await login({}, { Accept: 'application/json' })).printed).toEqual([]);
  });
});

describe('a site whose option issuer differs from the issuer of the service by a slash', () => {
  const host = { ...address, Host: '127.0.0.1:3000' };
  /** The service with a slash at the end of its issuer. */
  const withSlash: typeof fetch = async (url, init) => {
    const document = await (await fetch(url, { ...init, redirect: 'manual' })).json();
    return Response.json({ ...(document as object), issuer: `${provider.issuer}/` });
  };

  test.each<[string, () => [SiteOptions, fix: string]]>([
    [
      'remove it',
      () => [
        { issuer: `${provider.issuer}/` },
        `Remove the slash from the end of the option "issuer": "${provider.issuer}".`,
      ],
    ],
    [
      'add it',
      () => [{ fetch: withSlash as never }, `Add a slash to the end of the option "issuer": "${provider.issuer}/".`],
    ],
  ])('prints, and shows outside of production, to %s', async (_name, create) => {
    const [options, fix] = create();
    const { printed, response } = await login(options, host);
    expect(printed).toEqual([expect.stringContaining('passport-clinician [issuer_mismatch]: ')]);
    expect(printed[0]).toContain(fix);
    expect(response.status).toBe(502);
    expect(response.text).toContain(fix.replaceAll('"', '&quot;'));
  });
});

test('a site on http with a Secure session cookie shows at the first sign-in, outside of production, that http is the reason', async () => {
  const { app } = siteFor(provider, { session: { cookie: { secure: true } }, onEvent: () => undefined });
  const { status, text } = await signIn(supertest.agent(app).set(navigation), provider, { as: 'verified' });
  expect([status, text]).toEqual([500, expect.stringContaining('session_not_saved')]);
  expect(text).toContain('sent only over https, and callbackURL is http. In development, set');
});
