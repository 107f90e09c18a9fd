import { EventEmitter } from 'node:events';
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers.js';
import { sealingSecret, siteFor } from '../integration/site.js';

type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;
type Headers = Record<string, string>;

const headers = () => {
  const values = new Map<string, unknown>();
  return {
    setHeader: (name: string, value: unknown) => void values.set(name, value),
    getHeader: (name: string) => values.get(name),
    removeHeader: (name: string) => void values.delete(name),
    values,
  };
};

const nodeRequest = (method: string, url: string, sent: Headers): IncomingMessage =>
  Object.assign(new IncomingMessage(new Socket()), { method, url, headers: sent });
const plainRequest = (method: string, url: string, sent: Headers) =>
  ({ method, url, headers: sent }) as unknown as IncomingMessage;

/** The handshakes of websockets: the request, and the response that websocket libraries and sites pass to middleware. */
describe.each<[string, typeof nodeRequest, () => object]>([
  ['a request of Node without Host, and an empty object', nodeRequest, () => ({})],
  [
    'the request and the response of engine.io',
    nodeRequest,
    () => Object.assign(new EventEmitter(), headers(), { writeHead() {}, write() {}, end() {} }),
  ],
  ['an object without socket and app, and an empty object', plainRequest, () => ({})],
  ['such an object, and a response without getHeader', plainRequest, () => ({ setHeader() {}, end() {} })],
])('with %s', (_, newRequest, newResponse) => {
  /** A site, and what a browser sends with the next request after a sign-in: also the cookie that this request removes. */
  async function signedIn(as = 'verified') {
    const site = siteFor(provider);
    const agent = supertest.agent(site.app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const back = new URL(await provider.signIn(String(headers.location), { as }));
    await agent.get(back.pathname + back.search).expect(302);
    const { domain, path, secure, script } = { domain: '127.0.0.1', path: '/', secure: false, script: false };
    return { ...site, cookie: agent.jar.getCookies({ domain, path, secure, script }).toValueString() };
  }

  /** Runs middleware on a handshake. @returns what the last `next()` got */
  async function handshake(
    { clinician, sessions }: Pick<ReturnType<typeof siteFor>, 'clinician' | 'sessions'>,
    guards: unknown[],
    { method = 'GET', url = '/socket', ...sent }: Headers = {},
  ) {
    const store = session({ secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions });
    const [req, res] = [newRequest(method, url, sent), newResponse() as ServerResponse];
    const steps = [store, clinician, ...guards] as Middleware[];
    const run = (index: number): Promise<unknown> =>
      new Promise((resolve) => {
        const next = (error?: unknown) => resolve(error ?? (index + 1 < steps.length ? run(index + 1) : 'in'));
        steps[index]?.(req, res, next);
      });
    const result = await run(0);
    return { req, res, result };
  }

  test('a signed-in user is recognized, and each guard lets the user in until a sign-out', async () => {
    const site = await signedIn();
    const { clinician } = site;
    const guards = [clinician.requireLogin(), clinician.requireVerified(), clinician.requireScope('email')];
    const { req, res, result } = await handshake(site, guards, { cookie: site.cookie });
    expect(result).toBe('in');
    expect(clinician.user(req as never)).toEqual({ id: provider.clinicians.get('verified').sub });
    expect(typeof (await clinician.api(req as never).profile()).firstName).toBe('string');
    await clinician.logout(req as never, res as never);
    expect(req).toMatchObject({ clinician: { isAuthenticated: false } });
    await printedBy(async () => {
      const refusal = new Promise((resolve) => clinician.requireLogin()(req as never, res as never, resolve));
      expect(await refusal).toMatchObject({ code: 'sign_in_required' });
    });
  });

  test('other users are refused with the error, which is printed', async () => {
    const site = siteFor(provider);
    const pending = await signedIn('pending');
    const cases = [
      [site, [site.clinician.requireLogin()], {}, 'sign_in_required'],
      [site, [site.clinician.requireVerified()], { accept: 'text/html' }, 'sign_in_required'],
      [site, [site.clinician.requireSameOrigin()], { origin: 'https://evil.example' }, 'cross_site_request'],
      [pending, [pending.clinician.requireVerified()], { cookie: pending.cookie }, 'verification_pending'],
    ] as const;
    for (const [where, guards, sent, code] of cases) {
      const printed = await printedBy(async () => {
        expect((await handshake(where, [...guards], sent)).result).toMatchObject({ code });
      });
      expect(printed).toEqual([expect.stringContaining(`passport-clinician [${code}]: `)]);
    }
  });

  test('no path is a route, because it cannot get a response', async () => {
    const site = await signedIn();
    const sent = { cookie: site.cookie, 'sec-fetch-site': 'same-origin', accept: 'text/html' };
    for (const [method, url] of [
      ['GET', '/auth/login'],
      ['GET', '/auth/callback?code=a&state=b'],
      ['POST', '/auth/logout'],
      ['GET', '/auth/clinician.css'],
    ] as const)
      expect((await handshake(site, [], { ...sent, method, url })).result).toBe('in');
    expect((await handshake(site, [site.clinician.requireLogin()], sent)).result).toBe('in');
  });

  test('the error handler passes an error on, and a silent sign-in does nothing', async () => {
    const site = siteFor(provider);
    const sent = { accept: 'text/html', 'sec-fetch-dest': 'document', cookie: 'a=b' };
    expect((await handshake(site, [site.clinician.signInSilently()], sent)).result).toBe('in');
    const { req, res, result } = await handshake(site, [site.clinician.requireLogin()]);
    const passed = new Promise((resolve) => site.clinician.errorHandler()(result, req as never, res, resolve));
    expect(await passed).toBe(result);
  });
});
