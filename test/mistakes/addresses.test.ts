import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers/warnings.js';
import { navigation, type SiteOptions, siteFor } from '../integration/site.js';

/** @returns what a site prints while a browser requests its login route, and the response. */
async function login(options: SiteOptions) {
  const { app } = siteFor(provider, options);
  let response: supertest.Response | undefined;
  const printed = await printedBy(async () => {
    response = await supertest(app).get('/auth/login').set(navigation);
  });
  return { printed, response: response as supertest.Response };
}

describe('a site whose option issuer differs from the issuer of the service by a slash', () => {
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
    const { printed, response } = await login(options);
    expect(printed).toEqual([expect.stringContaining('passport-clinician [issuer_mismatch]: ')]);
    expect(printed[0]).toContain(fix);
    expect(response.status).toBe(502);
    expect(response.text).toContain(fix.replaceAll('"', '&quot;'));
  });
});

test('a site on http with a Secure session cookie shows at the next sign-in, outside of production, that http is the reason', async () => {
  const { app } = siteFor(provider, { session: { cookie: { secure: true } }, onEvent: () => undefined });
  const agent = supertest.agent(app).set(navigation);
  await signIn(agent, provider, { as: 'verified' });
  const { text } = await agent.get('/auth/login').expect(500);
  expect(text).toContain('session_not_saved');
  expect(text).toContain('cookie.secure needs https');
});
