import { describe, expect, test } from '@jest/globals';
import express, { type Express, type Router } from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, type ClinicianLogin, clinicianLogin } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers.js';
import { loginOptions, navigation, type SiteOptions, sealingSecret } from '../integration/site.js';

type Build = (app: Express, clinician: ClinicianLogin, notes: Router) => void;

/** A page view of a browser that has sent a cookie before: a silent sign-in may start. */
const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document', Cookie: 'a=b' };

/** @returns a site with a guarded page at /notes in a router. @param build mounts what the test is about */
function siteWith(build: Build, options: SiteOptions = {}): Express {
  const clinician = clinicianLogin(loginOptions(provider, options));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  const notes = express.Router();
  notes.get('/notes', clinician.requireLogin(), (_req, res) => void res.send('notes'));
  build(app, clinician, notes);
  return app.use(clinician.errorHandler());
}

describe('app.use(clinician)', () => {
  test.each<[string, Build]>([
    ['is forgotten', (app, _clinician, notes) => app.use(notes)],
    ['is below a path', (app, clinician, notes) => app.use('/app', clinician).use(notes)],
    ['is after the guard', (app, clinician, notes) => app.use(notes).use(clinician)],
    ['is forgotten, and a page calls clinician.login()', (app, clinician) => app.get('/notes', clinician.login)],
    ['is forgotten, and pages sign in silently', (app, clinician, notes) => app.use(clinician.signInSilently(), notes)],
  ])('if it %s, the log says so once', async (_mistake, build) => {
    const app = siteWith(build);
    const printed = await printedBy(async () => {
      await supertest(app).get('/notes').set(pageView).expect(302);
      await supertest(app).get('/notes').set(pageView).expect(302);
    });
    expect(printed).toEqual([
      expect.stringMatching(/^passport-clinician \[middleware_missing\]: .*Put app\.use\(clinician\) without a path/),
    ]);
  });

  test('if it is forgotten, a listener gets an event, and a request of a script causes none', async () => {
    const events: ClinicianEvent[] = [];
    const onEvent = (event: ClinicianEvent) => void events.push(event);
    const app = siteWith((site, _clinician, notes) => site.use(notes), { onEvent });
    expect((await supertest(app).get('/notes').expect(401)).body).toMatchObject({ code: 'sign_in_required' });
    expect(events).toEqual([]);
    await supertest(app).get('/notes').set(navigation).expect(302);
    expect(events).toEqual([expect.objectContaining({ name: 'request_failed', code: 'middleware_missing' })]);
  });

  test.each<[string, Build]>([
    ['before the guard', (app, clinician, notes) => app.use(clinician).use(notes)],
    ['in a router', (app, clinician, notes) => app.use(express.Router().use(clinician)).use(notes)],
    ['in another application', (app, clinician, notes) => app.use(express().use(clinician)).use(notes)],
    ['in a function of the site', (app, clinician, notes) => app.use((...call) => clinician(...call), notes)],
  ])('%s prints nothing, and redirects to the sign-in', async (_place, build) => {
    const app = siteWith(build);
    await supertest(app).get('/notes').set(navigation).expect('Location', '/auth/login?returnTo=%2Fnotes');
    const { headers } = await supertest(app).get('/auth/login').expect(302);
    expect(headers.location).toMatch(/\/oauth\/authorize/);
  });
});
