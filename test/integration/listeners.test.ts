import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import supertest from 'supertest';
import type { ErrorHandler } from '../../lib/express/http-types.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, type Site, type SiteOptions, signedInAt, siteFor } from './site.js';

const manifest = new URL('../../package.json', import.meta.url);

test.each<[string, ErrorHandler]>([
  ['calls next() with it', (error, _req, _res, next) => next(error)],
  ['rejects', (error) => Promise.reject(error)],
])('an onError that %s passes an error to the error handler of the site', async (_title, onError) => {
  const { app } = siteFor(provider, { onError });
  app.use(((error, _req, res, _next) => void res.status(418).send(error.code)) as ErrorRequestHandler);
  await supertest(app).get('/auth/callback?state=x').set(navigation).expect(418, 'transaction_missing');
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

test('an onEvent that rejects does not fail the sign-in', async () => {
  const onEvent = async () => Promise.reject(new Error('the log is unavailable'));
  const agent = await signedInAt(siteFor(provider, { onEvent }).app, provider);
  await agent.get('/me').expect(200);
});

/** @returns a browser on a site with a page that has no guard, and with the error handler of this package at the end. */
function siteWithErrorHandler(options: SiteOptions, page: (clinician: Site['clinician']) => RequestHandler) {
  const { app, clinician } = siteFor(provider, options);
  app.get('/cv', page(clinician));
  app.use(clinician.errorHandler());
  return supertest.agent(app);
}

test('errorHandler() redirects a page view of a signed-out user to the sign-in and back', async () => {
  const agent = siteWithErrorHandler({}, (clinician) => async (req, res) => {
    res.json(await clinician.api(req).profile());
  });
  const { headers } = await agent.get('/cv?page=2').set(navigation).expect(302);
  expect(headers.location).toBe('/auth/login?returnTo=%2Fcv%3Fpage%3D2');
  await agent.head('/cv').set(navigation).expect(302);
  const page = await signIn(agent, provider, { as: 'verified', loginPath: headers.location as string });
  expect(JSON.parse(page.text)).toMatchObject({ verified: true });
});

test('errorHandler() reports an error by one event', async () => {
  const events: unknown[] = [];
  const onEvent: SiteOptions['onEvent'] = ({ name, code }) => void (code && events.push([name, code]));
  const agent = siteWithErrorHandler({ onEvent }, (clinician) => () => void clinician.grantOf(undefined as never));
  await agent.get('/cv').expect(500);
  expect(events).toEqual([['request_failed', 'argument_invalid']]);
});
