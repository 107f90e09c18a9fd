import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import middie from '@fastify/middie';
import { expect, test } from '@jest/globals';
import connect from 'connect';
import session from 'express-session';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Passport } from 'passport';
import supertest from 'supertest';
import { type ClinicianLogin, type ClinicianRequestState, ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, sameOriginScript, sealingSecret } from '../integration/site.js';

type Next = (error?: unknown) => void;
type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void;

const newSession = () => session({ secret: sealingSecret, resave: false, saveUninitialized: false });

/** What the middleware has set on a request of Node. */
const stateOf = (req: object) => (req as { clinician: ClinicianRequestState }).clinician;

const sendError = (error: unknown, res: ServerResponse) => {
  const { code, message } = error as { code?: string; message: string };
  res.writeHead(500).end(JSON.stringify([code, message]));
};

/** @returns a site on `node:http`, which calls the middleware itself. */
function siteOn(clinician: ClinicianLogin): RequestListener {
  const send =
    (body: (req: IncomingMessage) => unknown): Middleware =>
    async (req, res, next) => {
      try {
        res.end(JSON.stringify(await body(req)));
      } catch (error) {
        next(error);
      }
    };
  const pages: Readonly<Record<string, unknown[]>> = {
    '/state': [send((req) => [stateOf(req).isAuthenticated, 'user' in req])],
    '/me': [clinician.requireLogin(), send((req) => stateOf(req).identity?.id)],
    '/notes': [clinician.requireVerified(), send((req) => clinician.verification(req))],
    '/email': [clinician.requireScope('email'), send(() => 'email')],
    '/recent': [clinician.requireRecentLogin(), send(() => 'recent')],
    '/own': [clinician.requireSameOrigin(), send(() => 'own')],
    '/silent': [clinician.signInSilently(), send(() => 'silent')],
    '/profile': [send(async (req) => (await clinician.api(req).profile()).id)],
    '/grant': [send((req) => clinician.grant(req).state())],
    '/button': [send(() => clinician.signInButton())],
    '/login': [(req: never, res: never, next: Next) => void clinician.login(req, res).catch(next)],
  };
  const all = [newSession(), clinician] as unknown as Middleware[];
  return (req, res) => {
    const handlers = [...all, ...((pages[String(req.url).split('?', 1)[0] as string] ?? []) as Middleware[])];
    const run = (index: number) => (error?: unknown) => {
      const next = handlers[index];
      if (error) return sendError(error, res);
      if (!next) return void res.writeHead(404).end();
      next(req, res, run(index + 1));
    };
    run(0)();
  };
}

test('on node:http, the drop-in signs in and out, with each guard and member', async () => {
  const agent = supertest.agent(siteOn(clinicianLogin(loginOptions(provider))));
  const page = async (path: string) => JSON.parse((await agent.get(path).expect(200)).text);
  expect(await page('/state')).toEqual([false, false]);
  await agent.get('/me').expect(401);
  await agent.get('/me').set(navigation).expect(302).expect('Location', '/auth/login?returnTo=%2Fme');
  expect(await page('/button')).toContain('/auth/login');

  await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=/state' });
  const { sub, id } = provider.clinicians.get('verified');
  expect(await page('/state')).toEqual([true, true]);
  expect(await page('/me')).toBe(sub);
  expect(await page('/notes')).toBe('verified');
  expect([await page('/email'), await page('/recent'), await page('/silent')]).toEqual(['email', 'recent', 'silent']);
  expect(await page('/profile')).toBe(String(id));
  expect(await page('/grant')).toMatchObject({ refreshable: true });
  await agent.post('/own').expect(403);
  await agent.post('/own').set(sameOriginScript).expect(200);
  await agent.get('/login').expect(302);
  await agent.get('/auth/logout').expect(405).expect('Allow', 'POST');
  await agent.get('/nowhere').expect(404);

  await signOut(agent, provider);
  expect(await page('/state')).toEqual([false, false]);
  const loginPath = '/auth/login?prompt=consent';
  const denied = await signIn(agent.set(navigation), provider, { as: 'verified', deny: true, loginPath });
  expect([denied.status, denied.text]).toEqual([403, expect.stringContaining('<!doctype html>')]);
});

test('Fastify accepts the types of the middleware, of a guard and of the error handler', async () => {
  const clinician = clinicianLogin(loginOptions(provider));
  const app = Fastify();
  await app.register(middie);
  app.use(newSession() as never);
  app.use(clinician);
  const respondToError = clinician.errorHandler();
  app.setErrorHandler((error, { raw }, reply) => respondToError(error, raw, reply.raw, () => reply.send(error)));
  const guard = clinician.requireVerified();
  const onRequest = ({ raw }: FastifyRequest, reply: FastifyReply, done: () => void) => guard(raw, reply.raw, done);
  app.get('/notes', { onRequest }, async ({ raw }) => clinician.user(raw));
  await app.ready();
  await supertest(app.server).get('/notes').expect(401);
});

test('mounted below a path of connect, the drop-in receives the requests for its routes', async () => {
  const app = connect();
  app.use(newSession() as never);
  app.use('/auth', clinicianLogin(loginOptions(provider)) as never);
  app.use((_req: IncomingMessage, res: ServerResponse) => void res.end('page'));
  const { text } = await signIn(supertest.agent(app as RequestListener), provider, { as: 'verified' });
  expect(text).toBe('page');
});

test.each([
  ['connect', undefined],
  ['koa-passport', { redirect: () => undefined, setHeader: () => undefined, end: () => undefined, statusCode: 200 }],
])('ClinicianStrategy on %s reports middleware_missing', async (_name, response) => {
  const passport = new Passport();
  passport.use(new ClinicianStrategy(loginOptions(provider), () => ({ id: 1 })));
  const app = connect();
  app.use((req: IncomingMessage, _res: ServerResponse, next: Next) => {
    Object.assign(req, { res: response });
    next();
  });
  app.use('/auth/login', passport.authenticate('clinician') as never);
  app.use((error: unknown, _req: IncomingMessage, res: ServerResponse, _next: Next) => sendError(error, res));
  const { text } = await supertest(app as RequestListener)
    .get('/auth/login')
    .expect(500);
  expect(JSON.parse(text)).toEqual([
    'middleware_missing',
    "passport-clinician: this request has no 'res'. Use Express, which sets it.",
  ]);
});
