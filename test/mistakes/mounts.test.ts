import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import express, { type Express, type RequestHandler, type Router } from 'express';
import express4 from 'express-4';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import {
  type ClinicianEvent,
  type ClinicianLogin,
  ClinicianStrategy,
  clinicianLogin,
  MemoryTokenStore,
} from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers/warnings.js';
import { loginOptions, navigation, type SiteOptions, sealingSecret } from '../integration/site.js';

type NewExpress = typeof express;
type Build = (app: Express, clinician: ClinicianLogin, notes: Router, newExpress: NewExpress) => void;

const versions: [string, NewExpress][] = [
  ['Express 5', express],
  ['Express 4', express4 as unknown as NewExpress],
];
/** A page view of a browser that has sent a cookie before: a silent sign-in may start. */
const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document', Cookie: 'a=b' };

/** @returns a site with a guarded page at /notes in a router. @param build mounts what the test is about */
function siteWith(newExpress: NewExpress, build: Build, options: SiteOptions = {}) {
  const clinician = clinicianLogin(loginOptions(provider, options));
  const app = newExpress();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  const notes = newExpress.Router();
  notes.get('/notes', clinician.requireLogin(), (_req, res) => void res.send('notes'));
  build(app, clinician, notes, newExpress);
  app.use(clinician.errorHandler());
  return { app, clinician };
}

const passportRoutes =
  (...paths: string[]): Build =>
  (app, clinician) => {
    const passport = new Passport();
    passport.use(clinician.strategy);
    passport.serializeUser((user, done) => done(null, user));
    passport.deserializeUser((user: object, done) => done(null, user as Express.User));
    for (const path of paths) app.get(path, passport.authenticate('clinician', { successReturnToOrRedirect: '/' }));
  };

describe.each(versions)('on %s', (_, newExpress) => {
  test.each<[string, string, string, Build]>([
    ['is forgotten', 'middleware_missing', '/auth/login', (app, _clinician, notes) => app.use(notes)],
    [
      'is below a path',
      'mount_path_conflict',
      '/auth/login',
      (app, clinician, notes) => app.use('/app', clinician).use(notes),
    ],
    [
      'is forgotten, and a page calls clinician.login()',
      'middleware_missing',
      '/auth/callback',
      (app, clinician) => app.get('/notes', clinician.login),
    ],
    [
      'is forgotten, and pages sign in silently',
      'middleware_missing',
      '/auth/callback',
      (app, clinician, notes) => app.use(clinician.signInSilently(), notes),
    ],
  ])('if app.use(clinician) %s, the log gets %s', async (_mistake, code, path, build) => {
    const { app } = siteWith(newExpress, build);
    const printed = await printedBy(async () => {
      await supertest(app).get('/notes').set(pageView).expect(302);
      await supertest(app).get('/notes').set(pageView).expect(302);
    });
    const mistakes = printed.filter((line) => !line.includes('[other_host]'));
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(new RegExp(`^passport-clinician \\[${code}\\]: .*'${path}'.*app\\.use\\(clinician\\)`));
  });

  test('if app.use(clinician) is forgotten, a listener gets an event, and a script prints nothing', async () => {
    const events: ClinicianEvent[] = [];
    const onEvent = (event: ClinicianEvent) => void events.push(event);
    const { app } = siteWith(newExpress, (site, _clinician, notes) => site.use(notes), { onEvent });
    const { body } = await supertest(app).get('/notes').expect(401);
    expect(body).toMatchObject({ code: 'sign_in_required' });
    expect(events).toEqual([]);
    await supertest(app).get('/notes').set(navigation).expect(302);
    expect(events).toEqual([expect.objectContaining({ name: 'request_failed', code: 'middleware_missing' })]);
  });

  test.each<[string, Build]>([
    ['after the guard', (app, clinician, notes) => app.use(notes).use(clinician)],
    ['in a router', (app, clinician, notes, { Router }) => app.use(notes).use(Router().use(clinician))],
    [
      'in a router at the path of its routes',
      (app, clinician, notes, { Router }) => app.use(notes).use('/auth', Router().use(clinician)),
    ],
    ['at the path of its routes', (app, clinician, notes) => app.use(notes).use('/auth', clinician)],
    ['as a route', (app, clinician, notes) => app.use(notes).all(/^\/auth\//, clinician)],
    ['in another application', (app, clinician, notes, create) => app.use(notes).use(create().use(clinician))],
    [
      'in the application around that of the guard',
      (app, clinician, notes, create) => app.use('/', create().use(notes)).use(clinician),
    ],
    [
      'through a function that copies its members, as tracing does',
      (app, clinician, notes) => {
        const traced: RequestHandler = (req, res, next) => clinician(req, res, next);
        app.use(notes).use(Object.assign(traced, clinician));
      },
    ],
    [
      'not at all, and Passport has the routes',
      (app, clinician, notes, create) => {
        passportRoutes('/auth/login', '/auth/callback')(app, clinician, notes, create);
        app.use(notes);
      },
    ],
  ])('app.use(clinician) %s redirects to the sign-in', async (_place, build) => {
    const { app } = siteWith(newExpress, build);
    const printed = await printedBy(async () => {
      await supertest(app).get('/notes').set(navigation).expect('Location', '/auth/login?returnTo=%2Fnotes');
      await supertest(app)
        .get('/auth/login')
        .expect(302)
        .expect('Location', /\/oauth\/authorize/);
    });
    expect(printed).toEqual([]);
  });

  const homePage: RequestHandler = (req, res) => void res.send(req.user ? 'in' : 'out');

  test.each<[string, Build]>([
    ['after the page', (app, clinician) => app.get('/', homePage).use(clinician)],
    ['at the path of its routes', (app, clinician) => app.use('/auth', clinician).get('/', homePage)],
    [
      'after a router with the page',
      (app, clinician, _notes, { Router }) => app.use(Router().get('/', homePage)).use(clinician),
    ],
  ])('if app.use(clinician) is %s to which sign-ins return, the log says once why it has no user', async (_, build) => {
    const { app } = siteWith(newExpress, build);
    const printed = await printedBy(async () => {
      const { text } = await signIn(supertest.agent(app), provider, { as: 'verified' });
      expect(text).toBe('out');
      await signIn(supertest.agent(app), provider, { as: 'minimal' });
    });
    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(/^passport-clinician \[middleware_missing\]: .*'\/'.*no req\.user.*without a path/);
  });

  test.each<[string, Build]>([
    ['before the page', (app, clinician) => app.use(clinician).get('/', homePage)],
    [
      'in a router before the page',
      (app, clinician, _notes, { Router }) => app.use(Router().use(clinician).get('/', homePage)),
    ],
    [
      'after parsers and before the page',
      (app, clinician, _notes, create) => app.use(create.static('docs'), create.json(), clinician).get('/', homePage),
    ],
  ])('if app.use(clinician) is %s, a sign-in prints nothing', async (_, build) => {
    const { app } = siteWith(newExpress, build);
    const printed = await printedBy(async () => {
      expect((await signIn(supertest.agent(app), provider, { as: 'verified' })).text).toBe('in');
    });
    expect(printed).toEqual([]);
  });

  test('a function of the site that calls the middleware prints nothing once it has received a request', async () => {
    const { app } = siteWith(newExpress, (site, clinician, notes) => {
      site.use(notes).use((req, res, next) => clinician(req, res, next));
    });
    const printed = await printedBy(async () => {
      await supertest(app).get('/auth/login').expect(302);
      await supertest(app).get('/notes').set(navigation).expect(302);
    });
    expect(printed).toEqual([]);
  });

  test('below a prefix that the proxy strips, the guard redirects to the sign-in', async () => {
    const callbackURL = 'http://127.0.0.1:3000/app/auth/callback';
    const build: Build = (app, clinician, notes) => app.use(notes).use(clinician);
    const { app } = siteWith(newExpress, build, { callbackURL });
    await supertest(app)
      .get('/notes')
      .set(navigation)
      .expect('Location', /^\/app\/auth\/login/);
  });

  const withoutCallback: SiteOptions = { routes: { callback: false } };
  const strategySite: Build = (app) => {
    const tokenStore = new MemoryTokenStore();
    const strategy = new ClinicianStrategy({ ...loginOptions(provider), tokenStore }, () => undefined);
    const passport = new Passport();
    passport.use(strategy);
    app.use(strategy.middleware()).get('/auth/login', passport.authenticate('clinician'));
  };

  test.each<[string, Build, SiteOptions]>([
    ['routes.callback: false', (app, clinician) => app.use(clinician), withoutCallback],
    ['ClinicianStrategy', strategySite, {}],
  ])(
    'if no route receives the callback, with %s, the log says so without its code',
    async (_mistake, build, options) => {
      const { app } = siteWith(newExpress, build, options);
      const printed = await printedBy(async () => {
        const { status } = await signIn(supertest.agent(app), provider, { as: 'verified' });
        expect(status).toBe(404);
      });
      expect(printed).toHaveLength(1);
      expect(printed[0]).toMatch(/^passport-clinician \[mount_path_conflict\]: .*'\/auth\/callback'/);
      expect(printed[0]).toContain("passport.authenticate('clinician')");
      expect(printed[0]).not.toMatch(/code=/);
    },
  );

  test('if a route of the site receives the callback, a forged one prints nothing', async () => {
    const build: Build = (app, ...others) => passportRoutes('/auth/callback')(app.use(others[0]), ...others);
    const { app } = siteWith(newExpress, build, withoutCallback);
    const printed = await printedBy(async () => {
      await supertest(app).get('/auth/callback?code=forged&state=forged').expect(403);
      await supertest(app).head('/auth/callback?code=forged');
      await supertest(app).get('/auth/unknown?code=forged').expect(404);
    });
    expect(printed.join()).not.toContain('mount_path_conflict');
  });
});

test('without Express, which shows its handlers, a guard redirects to the sign-in', async () => {
  const clinician = clinicianLogin(loginOptions(provider));
  const newSession = session({ secret: sealingSecret, resave: false, saveUninitialized: false });
  const guard = clinician.requireLogin();
  const server = createServer((req: IncomingMessage, res: ServerResponse) =>
    newSession(req as never, res as never, () => guard(req as never, res as never, () => res.end('notes'))),
  );
  await supertest(server).get('/notes').set(navigation).expect('Location', '/auth/login?returnTo=%2Fnotes');
});
