import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { provider } from '../helpers/provider.js';
import type { Settings } from './login-paths.js';
import { navigation } from './site.js';
import { siteAt } from './strategy-site.js';

const declinedText = expect.stringContaining('You, or the sign-in service, did not allow this site to sign you in.');

/** A site with the drop-in, and one that has only the strategy. */
const PATHS = ['Passport first', 'strategy'] as const;

type Agent = ReturnType<typeof supertest.agent>;

function siteOf(path: (typeof PATHS)[number], settings: Settings) {
  const { app } = siteAt(provider, path, settings);
  return { app, agent: supertest.agent(app).set(navigation) };
}

/** Starts a sign-in and answers at the service. @returns the path of the callback */
async function answered(agent: Agent, answer: object, query = ''): Promise<string> {
  const { headers } = await agent.get(`/auth/login${query}`).set('Sec-Fetch-Site', 'same-origin').expect(302);
  const { pathname, search } = new URL(
    await provider.signIn(headers.location as string, { as: 'verified', browser: agent, ...answer }),
  );
  return pathname + search;
}

describe.each(PATHS)('a declined sign-in by %s', (path) => {
  test('has the text of the page as its message, and the description only in its cause', async () => {
    let failure: { cause?: Error } | undefined;
    const custom: Settings['custom'] = (_req, res) => (_error, _user, info) => {
      failure = info as typeof failure;
      res.json(info);
    };
    const { agent } = siteOf(path, { custom });
    const { body } = await agent.get(await answered(agent, { deny: true })).expect(200);
    expect(body).toEqual({ code: 'access_denied', message: declinedText });
    expect(failure?.cause?.message).toBe('The user denied the request');
  });

  test.each([
    ['that is declined', (agent: Agent) => answered(agent, { deny: true })],
    ['that this browser has not started', () => '/auth/callback?code=forged&state=forged'],
  ])('%s has the translated text of the page', async (_, pathOf) => {
    const text = 'Die Anmeldung wurde abgelehnt.';
    const texts = { declinedText: text, signInExpiredText: text };
    const { app, agent } = siteOf(path, { finish: { failureRedirect: '/denied', failureMessage: true }, texts });
    app.get('/denied', (req, res) => void res.json((req.session as { messages?: string[] }).messages));
    const { body } = await agent.get(await pathOf(agent)).redirects(1);
    expect(body).toEqual([text]);
  });
});

test('a failure that a popup has shown prevents no other sign-in', async () => {
  const { agent } = siteOf('Passport first', { finish: { failureRedirect: '/failure' } });
  await agent.get(await answered(agent, { deny: true }, '?display=popup')).expect('Location', '/auth/callback');
  await agent.get('/auth/callback').expect(403);
  await agent.get('/auth/login').expect(302);
});

describe.each(PATHS)('failureRedirect that leads to the sign-in, by %s', (path) => {
  test.each(['/auth/login?display=popup', '/guarded'])(
    'shows the reason once, without another sign-in: %s',
    async (failureRedirect) => {
      const { app, agent } = siteOf(path, { finish: { failureRedirect, successRedirect: '/' } });
      app.get('/guarded', (_req, res) => res.redirect('/auth/login?returnTo=%2Fguarded'));
      for (const answer of [{ deny: true }, { deny: true }]) {
        const callback = await answered(agent, answer, '?returnTo=%2Fnotes');
        const { status, text } = await agent.get(callback).set('Sec-Fetch-Site', 'cross-site').redirects(3);
        expect(status).toBe(403);
        // Without the drop-in, the error handler of the site shows it.
        expect(text).toContain(path === 'strategy' ? 'denied' : 'href="/auth/login?returnTo=%2Fnotes"');
      }
      await agent.get(await answered(agent, {})).expect('Location', '/');
    },
  );
});

test.each(PATHS)('a click on the page of failureRedirect starts another sign-in at once: %s', async (path) => {
  const { agent } = siteOf(path, { finish: { failureRedirect: '/denied' } });
  await agent.get(await answered(agent, { deny: true })).expect('Location', '/denied');
  await agent.get('/auth/login').set('Sec-Fetch-Site', 'same-origin').expect(302);
});

test.each(PATHS)(
  "with %s, Passport's successReturnToOrRedirect leads to the requested page of this site, or to its own path",
  async (path) => {
    const { app, agent } = siteOf(path, { finish: { successReturnToOrRedirect: '/home' } });
    app.get('/session', (req, res) => void res.json(Object.keys(req.session)));
    const visits = [
      ['?returnTo=%2Fnotes%3Fa=1', '/notes?a=1'],
      ['', '/home'],
      ['?returnTo=https%3A%2F%2Fevil.example', '/home'],
    ] as const;
    for (const [query, target] of visits) {
      await agent.get(await answered(agent, {}, query)).expect('Location', target);
      expect((await agent.get('/session')).body).not.toContain('returnTo');
    }
  },
);
