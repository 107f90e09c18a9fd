import { describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { ERROR_CLASSES, ERROR_SECTIONS } from '../../lib/errors/error-codes.js';
import { ClinicianError, ConfigurationError, clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { withNodeEnv } from '../helpers.js';
import { loginOptions, navigation, type SiteOptions, sealingSecret, siteFor } from '../integration/site.js';

const TOKEN = 'Bearer 0a1b2c3d4e5f6a7b8c9d0e1f';
const onEvent = () => undefined;
const onSignIn = () =>
  Promise.reject(new Error(`no column <b>npi</b>, sent with ${TOKEN} to postgres://bob:s3cr3t@db.internal/users`));

function siteWithoutSession(): Express {
  return express().use(clinicianLogin(loginOptions(provider, { onEvent })));
}

/** A site whose routes fail with errors of this package. */
function siteWithErrors(options: SiteOptions = {}): Express {
  const clinician = clinicianLogin(loginOptions(provider, { onEvent, ...options }));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
  app.get('/wrong', () => {
    throw new ConfigurationError('option_invalid', "passport-clinician: <i>planted</i> option 'apiURL'.");
  });
  return app.use(clinician.errorHandler());
}

describe('in development, an error page tells developers', () => {
  test('the message, the code and its meaning, and what to do', async () => {
    const { text } = await supertest(siteWithoutSession()).get('/auth/login').set(navigation).expect(500);
    expect(text).toContain('This page is not working');
    const [shown = '', notes = ''] = text.split('<summary>For developers</summary>');
    expect(shown).toContain('Please send the code below');
    expect(shown).toContain('Code: <code>session_missing</code>');
    expect(notes).toContain('<bdi>This request has no session');
    expect(notes).toContain('<p>There is no session of express-session before the sign-in, ');
    expect(notes).toContain('(<code>fix_code</code>)');
    expect(notes).toContain('See <code>docs/reference/errors.md#session_missing</code>');
  });

  test('the cause of a failed onSignIn, escaped, without its stack and without credentials', async () => {
    const agent = supertest.agent(siteFor(provider, { onSignIn }).app).set(navigation);
    const { text } = await signIn(agent, provider, { as: 'verified' });
    expect(text).toContain(
      'Cause: no column &lt;b&gt;npi&lt;/b&gt;, sent with Bearer [masked] to postgres://[masked]@db.internal/users</bdi>',
    );
    expect(text).not.toContain('developer-text.test');
  });
});

describe.each([
  ['https://clinic.example', undefined, false],
  ['https://clinic.example', 'development', true],
  ['http://[::1]:3000', 'staging', true],
  ['http://127.0.0.1:3000', 'Production ', false],
])('at %s with NODE_ENV=%s', (origin, environment, isShown) => {
  test(`browsers receive ${isShown ? 'the text' : 'no text'} for developers`, async () => {
    const app = await withNodeEnv(environment, () => siteWithErrors({ callbackURL: `${origin}/auth/callback` }));
    const { host } = new URL(origin);
    const shown: boolean[] = [];
    for (const headers of [navigation, { Accept: 'application/json' }]) {
      for (const path of ['/wrong', '/auth/login?promt=login']) {
        const { text } = await supertest(app)
          .get(path)
          .set({ Host: host, ...headers });
        shown.push(/planted|For developers|promt/.test(text));
      }
    }
    expect(shown).toEqual([isShown, isShown, isShown, isShown]);
  });
});

describe('in production, no text for developers reaches a browser', () => {
  const live = (create: () => Express) => withNodeEnv('production', create);

  const PLANTED = "passport-clinician: planted option 'secret', session(). See NODE_ENV.";
  /** An error of each code. The message of a denial is for the user. */
  const errors = ERROR_SECTIONS.flatMap(([, section]) =>
    Object.entries(section).map(([code, [name]]) => new ClinicianError(PLANTED, { code, ...ERROR_CLASSES[name] })),
  ).filter(({ remedy }) => remedy !== 'tell_user');
  let thrown: ClinicianError;
  const throwError = () => {
    throw thrown;
  };
  const script = { Accept: 'application/json' };
  const shownToBrowser = ({ text, headers }: supertest.Response) => `${text} ${JSON.stringify(headers)}`;

  test.each([
    ['a page', 'get', navigation],
    ['a script', 'get', script],
    ['a form', 'post', navigation],
  ] as const)('with any code, in the response to %s', async (_name, method, headers) => {
    const app = await live(() => {
      const clinician = clinicianLogin(loginOptions(provider, { onEvent }));
      const site = express().use(
        session({ secret: sealingSecret, resave: false, saveUninitialized: false }),
        clinician,
      );
      return site.use('/throws', throwError).use(clinician.errorHandler());
    });
    for (const error of errors) {
      thrown = error;
      expect(shownToBrowser(await supertest(app)[method]('/throws').set(headers))).not.toMatch(
        /planted|NODE_ENV|docs\//,
      );
    }
  });
});
