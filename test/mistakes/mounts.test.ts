import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import express, { type Express, type Router } from 'express';
import express4 from 'express-4';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, type ClinicianLogin, clinicianLogin } from '../../lib/index.js';
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
  return app;
}

describe.each(versions)('on %s', (_, newExpress) => {
  test.each<[string, Build]>([
    ['is forgotten', (app, _clinician, notes) => app.use(notes)],
    ['is below a path', (app, clinician, notes) => app.use('/app', clinician).use(notes)],
    ['is after the guard', (app, clinician, notes) => app.use(notes).use(clinician)],
    ['is forgotten, and a page calls clinician.login()', (app, clinician) => app.get('/notes', clinician.login)],
    ['is forgotten, and pages sign in silently', (app, clinician, notes) => app.use(clinician.signInSilently(), notes)],
  ])('if app.use(clinician) %s, the log says so once', async (_mistake, build) => {
    const app = siteWith(newExpress, build);
    const printed = await printedBy(async () => {
      await supertest(app).get('/notes').set(pageView).expect(302);
      await supertest(app).get('/notes').set(pageView).expect(302);
    });
    expect(printed).toEqual([
      expect.stringMatching(/^passport-clinician \[middleware_missing\]: .*Put app\.use\(clinician\) without a path/),
    ]);
  });

  test('if app.use(clinician) is forgotten, a listener gets an event, and a script prints nothing', async () => {
    const events: ClinicianEvent[] = [];
    const onEvent = (event: ClinicianEvent) => void events.push(event);
    const app = siteWith(newExpress, (site, _clinician, notes) => site.use(notes), { onEvent });
    const { body } = await supertest(app).get('/notes').expect(401);
    expect(body).toMatchObject({ code: 'sign_in_required' });
    expect(events).toEqual([]);
    await supertest(app).get('/notes').set(navigation).expect(302);
    expect(events).toEqual([expect.objectContaining({ name: 'request_failed', code: 'middleware_missing' })]);
  });

  test.each<[string, Build]>([
    ['before the guard', (app, clinician, notes) => app.use(clinician).use(notes)],
    ['in a router', (app, clinician, notes, { Router }) => app.use(Router().use(clinician)).use(notes)],
    ['in another application', (app, clinician, notes, create) => app.use(create().use(clinician)).use(notes)],
    [
      'through a function of the site',
      (app, clinician, notes) => app.use((req, res, next) => clinician(req, res, next), notes),
    ],
  ])('app.use(clinician) %s prints nothing, and redirects to the sign-in', async (_place, build) => {
    const app = siteWith(newExpress, build);
    const printed = await printedBy(async () => {
      await supertest(app).get('/notes').set(navigation).expect('Location', '/auth/login?returnTo=%2Fnotes');
      await supertest(app)
        .get('/auth/login')
        .expect(302)
        .expect('Location', /\/oauth\/authorize/);
    });
    expect(printed).toEqual([]);
  });
});

test('without Express, a guard redirects to the sign-in', async () => {
  const clinician = clinicianLogin(loginOptions(provider));
  const newSession = session({ secret: sealingSecret, resave: false, saveUninitialized: false });
  const guard = clinician.requireLogin();
  const server = createServer((req: IncomingMessage, res: ServerResponse) =>
    newSession(req as never, res as never, () =>
      clinician(req as never, res as never, () => guard(req as never, res as never, () => res.end('notes'))),
    ),
  );
  await supertest(server).get('/notes').set(navigation).expect('Location', '/auth/login?returnTo=%2Fnotes');
});
