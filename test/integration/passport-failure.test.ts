import { describe, expect, test } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport, { type AuthenticateCallback, type PassportStatic } from 'passport';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, type SiteOptions, sealingSecret } from './site.js';

interface Failure {
  code: string;
  message: string;
  cause?: Error;
}

interface PassportSite {
  app: Express;
  own: PassportStatic;
  strategy?: ClinicianStrategy;
}

const declinedText = expect.stringContaining('You, or the sign-in service, did not allow this site to sign you in.');

/** @returns a site whose callback is finished by `finish`. */
function siteOf(kind: string, finish: (site: PassportSite) => RequestHandler, options: SiteOptions = {}) {
  const own = new passport.Passport() as unknown as PassportStatic;
  const app = express();
  const site: PassportSite = { app, own };
  own.serializeUser((user, done) => done(null, user));
  own.deserializeUser((user: Express.User, done) => done(null, user));
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), own.session());
  app.get('/auth/login', (req, res, next) => {
    const { returnTo } = req.query as { returnTo?: string };
    own.authenticate('clinician', kind === 'clinician.strategy' ? {} : { returnTo })(req, res, next);
  });
  app.get('/auth/callback', (req, res, next) => finish(site)(req, res, next));
  if (kind === 'clinician.strategy') {
    const clinician = clinicianLogin(loginOptions(provider, options));
    site.strategy = clinician.strategy;
    app.use(clinician);
  } else {
    site.strategy = new ClinicianStrategy(loginOptions(provider, options), async () => ({ id: 'ada' }));
  }
  own.use(site.strategy);
  return supertest.agent(app).set(navigation);
}

/** Starts a sign-in and answers at the service. @returns the path of the callback */
async function answered(agent: ReturnType<typeof supertest.agent>, answer: object, query = ''): Promise<string> {
  const { headers } = await agent.get(`/auth/login${query}`).set('Sec-Fetch-Site', 'same-origin').expect(302);
  const { pathname, search } = new URL(
    await provider.signIn(headers.location as string, { as: 'verified', browser: agent, ...answer }),
  );
  return pathname + search;
}

describe.each(['clinician.strategy', 'ClinicianStrategy'])('a declined sign-in by %s', (kind) => {
  test('has the text of the page as its message, and the description only in its cause', async () => {
    let failure: Failure | undefined;
    const agent = siteOf(kind, ({ own }) => (req, res, next) => {
      const finish = ((_error, _user, info) => {
        failure = info as unknown as Failure;
        res.json(info);
      }) as AuthenticateCallback;
      own.authenticate('clinician', finish)(req, res, next);
    });
    const { body } = await agent.get(await answered(agent, { deny: true })).expect(200);
    expect(body).toEqual({ code: 'access_denied', message: declinedText });
    expect(failure?.cause?.message).toBe('The user denied the request');
  });

  test.each([
    ['that is declined', (agent: ReturnType<typeof siteOf>) => answered(agent, { deny: true })],
    ['that this browser has not started', () => '/auth/callback?code=forged&state=forged'],
  ])('%s has the translated text of the page', async (_, pathOf) => {
    const finish = ({ own }: PassportSite) =>
      own.authenticate('clinician', { failureRedirect: '/denied', failureMessage: true });
    const text = 'Die Anmeldung wurde abgelehnt.';
    const agent = siteOf(
      kind,
      (site) => {
        site.app.get('/denied', (req, res) => void res.json((req.session as { messages?: string[] }).messages));
        return finish(site);
      },
      { texts: { declinedText: text, signInExpiredText: text } },
    );
    const { body } = await agent.get(await pathOf(agent)).redirects(1);
    expect(body).toEqual([text]);
  });
});

test('a failure that a popup has shown prevents no other sign-in', async () => {
  const agent = siteOf('clinician.strategy', ({ own }) =>
    own.authenticate('clinician', { failureRedirect: '/failure' }),
  );
  await agent.get(await answered(agent, { deny: true }, '?display=popup')).expect('Location', '/auth/callback');
  await agent.get('/auth/callback').expect(403);
  await agent.get('/auth/login').expect(302);
});

describe.each(['clinician.strategy', 'ClinicianStrategy'])(
  'failureRedirect that leads to the sign-in, by %s',
  (kind) => {
    test.each(['/auth/login?display=popup', '/guarded'])(
      'shows the reason once, without another sign-in: %s',
      async (failureRedirect) => {
        const agent = siteOf(kind, ({ app, own }) => {
          app.get('/guarded', (_req, res) => res.redirect('/auth/login?returnTo=%2Fguarded'));
          return own.authenticate('clinician', { failureRedirect, successRedirect: '/' });
        });
        for (const answer of [{ deny: true }, { deny: true }]) {
          const path = await answered(agent, answer, '?returnTo=%2Fnotes');
          const { status, text } = await agent.get(path).set('Sec-Fetch-Site', 'cross-site').redirects(3);
          expect(status).toBe(403);
          // Without the drop-in, the error handler of the site shows it.
          expect(text).toContain(kind === 'clinician.strategy' ? 'href="/auth/login?returnTo=%2Fnotes"' : 'denied');
        }
        await agent.get(await answered(agent, {})).expect('Location', '/');
      },
    );
  },
);

test.each(['clinician.strategy', 'ClinicianStrategy'])(
  'a click on the page of failureRedirect starts another sign-in at once: %s',
  async (kind) => {
    const agent = siteOf(kind, ({ own }) => own.authenticate('clinician', { failureRedirect: '/denied' }));
    await agent.get(await answered(agent, { deny: true })).expect('Location', '/denied');
    await agent.get('/auth/login').set('Sec-Fetch-Site', 'same-origin').expect(302);
  },
);

test.each(['clinician.strategy', 'ClinicianStrategy'])(
  "with %s, Passport's successReturnToOrRedirect leads to the requested page of this site, or to its own path",
  async (kind) => {
    const agent = siteOf(kind, ({ app, own }) => {
      app.get('/session', (req, res) => void res.json(Object.keys(req.session)));
      return own.authenticate('clinician', { successReturnToOrRedirect: '/home' });
    });
    const visits = [
      ['?returnTo=%2Fnotes%3Fa=1', '/notes?a=1'],
      ['', '/home'],
      ['?returnTo=https%3A%2F%2Fevil.example', '/home'],
    ] as const;
    for (const [query, path] of visits) {
      await agent.get(await answered(agent, {}, query)).expect('Location', path);
      expect((await agent.get('/session')).body).not.toContain('returnTo');
    }
  },
);
