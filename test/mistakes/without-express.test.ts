import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import middie from '@fastify/middie';
import { expect, test } from '@jest/globals';
import connect from 'connect';
import session from 'express-session';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Passport } from 'passport';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, sealingSecret } from '../integration/site.js';

type Next = (error?: unknown) => void;
type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void;

const newSession = () => session({ secret: sealingSecret, resave: false, saveUninitialized: false });

const sendError = (error: unknown, res: ServerResponse) => {
  const { code, message } = error as { code?: string; message: string };
  res.writeHead(500).end(JSON.stringify([code, message]));
};

test('on node:http, with the error handler at the end, the drop-in signs in and out, and a guard refuses others', async () => {
  const clinician = clinicianLogin(loginOptions(provider));
  const steps = [newSession(), clinician, clinician.requireVerified()] as unknown as Middleware[];
  const respondToError = clinician.errorHandler();
  const site: RequestListener = (req, res) => {
    const run = (index: number) => (error?: unknown) => {
      if (error) return respondToError(error, req, res, () => void res.writeHead(500).end());
      const step = steps[index];
      if (step) step(req, res, run(index + 1));
      else res.end(`Notes of ${Object(clinician.user(req)).id}`);
    };
    run(0)();
  };
  const agent = supertest.agent(site);
  await agent.get('/notes').expect(401);
  await agent.get('/notes').set(navigation).expect('Location', '/auth/login?returnTo=%2Fnotes');
  const loginPath = '/auth/login?returnTo=/notes';
  expect((await signIn(agent, provider, { as: 'pending', loginPath })).status).toBe(403);
  await signOut(agent, provider);
  const { text } = await signIn(agent, provider, { as: 'verified', loginPath });
  expect(text).toBe(`Notes of ${provider.clinicians.get('verified').sub}`);
  await signOut(agent, provider);
  await agent.get('/notes').expect(401);
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
