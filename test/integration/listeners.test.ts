import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import supertest from 'supertest';
import type { ErrorHandler } from '../../lib/express/http-types.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, signedInAt, siteFor } from './site.js';

const manifest = new URL('../../package.json', import.meta.url);

test("an onError that rejects passes its error to the site's own error handler", async () => {
  const { app } = siteFor(provider, { onError: async () => Promise.reject(new Error('the log is unavailable')) });
  const caught: unknown[] = [];
  app.use(((error, _req, res, _next) => {
    caught.push((error as Error).message);
    res.status(500).end();
  }) as ErrorRequestHandler);
  await supertest(app).get('/auth/callback?state=x').expect(500);
  expect(caught).toEqual(['the log is unavailable']);
});

test('after an onError that calls next() without the error, the page of this package follows', async () => {
  const codes: unknown[] = [];
  const { app } = siteFor(provider, {
    onError: (error, _req, _res, next) => {
      codes.push(error.code);
      next();
    },
  });
  const agent = supertest.agent(app);
  const page = await signIn(agent.set(navigation), provider, { as: 'verified', deny: true });
  expect([page.status, codes]).toEqual([403, ['access_denied']]);
  expect(page.text).toContain('The user denied the request');
  const problem = await supertest(app).post('/auth/logout').set('Sec-Fetch-Site', 'cross-site').expect(403);
  expect(JSON.parse(problem.text)).toMatchObject({ code: 'cross_site_request' });
});

test.each<[string, ErrorHandler, string]>([
  ['renders a view', (_error, _req, res) => res.render('view'), 'rendered'],
  ['sends a file', (_error, _req, res) => res.sendFile(fileURLToPath(manifest)), '"passport-clinician"'],
  ['pipes a stream', (_error, _req, res) => void Readable.from(['piped']).pipe(res), 'piped'],
  ['responds later', (_error, _req, res) => void setImmediate().then(() => res.send('late')), 'late'],
])('after an onError that %s, nothing else is sent', async (_title, onError, text) => {
  const { app } = siteFor(provider, { onError });
  app.render = (...args: unknown[]) =>
    void setImmediate().then(() => (args.at(-1) as (...values: unknown[]) => void)(null, 'rendered'));
  const response = await supertest(app).get('/auth/callback?state=x').set(navigation).expect(200);
  expect(response.text).toContain(text);
});

test('an onError that calls next() with the error passes it to the error handler of the site', async () => {
  const { app } = siteFor(provider, { onError: (error, _req, _res, next) => next(error) });
  app.use(((error, _req, res, _next) => void res.status(418).send(error.code)) as ErrorRequestHandler);
  await supertest(app).get('/auth/callback?state=x').set(navigation).expect(418, 'transaction_missing');
});

test('an onEvent that rejects does not fail the sign-in', async () => {
  const onEvent = async () => Promise.reject(new Error('the log is unavailable'));
  const agent = await signedInAt(siteFor(provider, { onEvent }).app, provider);
  await agent.get('/me').expect(200);
});
