import { expect } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import session, { type SessionOptions } from 'express-session';
import helmet from 'helmet';
import supertest from 'supertest';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { type ClinicianLogin, type ClinicianLoginOptions, clinicianLogin } from '../../lib/index.js';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { instanceID } from '../../lib/token-vault/token-store.js';
import './capture-output.js';

export const sealingSecret = 'planted-sealing-secret-0123456789-0123456789';

/** The headers of a browser's navigation. */
export const navigation = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };
/** The headers of a form that a page of the site posts. */
export const sameOriginForm = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' };
/** The headers of a request that a script of the site sends. */
export const sameOriginScript = { 'Sec-Fetch-Site': 'same-origin' };

export type SiteOptions = Partial<ClinicianLoginOptions> & { session?: Partial<SessionOptions> };

/** @returns the options of the drop-in for the mock provider, in either flow, with every scope. */
export function loginOptions(provider: MockProvider, options: SiteOptions = {}): ClinicianLoginOptions {
  const { session: _, flow = 'openid', ...rest } = options;
  const { clientID, clientSecret } = provider.clients[flow];
  const scope = flow === 'openid' ? 'openid basic colleagues email' : 'basic colleagues email';
  const { issuer, apiURL } = provider;
  const callbackURL = 'http://127.0.0.1:3000/auth/callback';
  return { issuer, apiURL, clientID, clientSecret, callbackURL, secret: sealingSecret, flow, scope, ...rest };
}

/** @returns a browser that has signed in on a site. @param as a test user */
export async function signedInAt(
  app: Parameters<typeof supertest.agent>[0],
  provider: MockProvider,
  as = 'verified',
): Promise<ReturnType<typeof supertest.agent>> {
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as });
  return agent;
}

/** @returns the name of a cookie of the drop-in on a site without https. */
export function cookieName(provider: MockProvider, name: string): string {
  const { flow = 'openid', ...options } = loginOptions(provider);
  return `clinician-${instanceID({ ...options, flow }).slice(0, 6)}-${name}`;
}

/** @returns the URL of the service that the response to a sign-out continues at, by a path of the site. */
export async function logoutURLOf(agent: SiteAgent, { status, text }: { status: number; text: string }): Promise<URL> {
  expect(status).toBe(200);
  return endSessionURL(agent, refreshOf(text));
}

/** @returns where a path of the site that ends the session at the service redirects to. */
export async function endSessionURL(agent: SiteAgent, path: string): Promise<URL> {
  expect(path).toMatch(/^\/[\w/]*\/end-session$/);
  const { headers } = await agent.get(path).set(navigation).expect(302);
  return new URL(headers.location as string);
}

/** @returns the address that a page goes to at once. */
export function refreshOf(page: string): string {
  const [, address = ''] = /<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(page) ?? [];
  return address.replaceAll('&amp;', '&');
}

type SiteAgent = Pick<ReturnType<typeof supertest.agent>, 'get'>;

export interface Site {
  app: Express;
  clinician: ClinicianLogin;
  sessions: session.MemoryStore;
}

/** A fetch that holds each matching request, after the service has processed it, until it is released. */
export function heldFetch(matches: (url: string, body: string) => boolean): {
  fetch: Fetch;
  arrived: Promise<void>;
  release(): void;
} {
  const real = createFetch();
  let arrive = () => {};
  let release = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const fetch: Fetch = async (url, init) => {
    const response = await real(url, init);
    if (!matches(url, String(init?.body ?? ''))) return response;
    arrive();
    await released;
    return response;
  };
  return { fetch, arrived, release: () => release() };
}

/**
 * @returns an app with a session and the drop-in, and without routes.
 * @param app an app with settings, or of another version of Express
 */
export function bareSite(
  provider: MockProvider,
  options: SiteOptions = {},
  app: Express = express(),
): Pick<Site, 'app' | 'clinician'> {
  const clinician = clinicianLogin(loginOptions(provider, options));
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false, ...options.session }));
  app.use(clinician);
  return { app, clinician };
}

/** @returns a small site with the drop-in, as in the README. @param headers the middleware that sets security headers */
export function siteFor(provider: MockProvider, options: SiteOptions = {}, headers?: RequestHandler): Site {
  const app = express();
  const sessions = new session.MemoryStore();
  const clinician = clinicianLogin(loginOptions(provider, options));
  app.use(headers ?? helmet(clinician.helmet()));
  app.use(
    session({ secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions, ...options.session }),
  );
  app.use(clinician);
  app.get('/', (req, res) => void res.send(req.clinician.isAuthenticated ? 'in' : 'out'));
  app.get('/me', clinician.requireLogin(), (req, res) => {
    const { isAuthenticated, identity, flow, scope, verified, verification } = req.clinician;
    res.json({ isAuthenticated, identity, flow, scope, verified, verification, user: req.user });
  });
  app.post('/things', clinician.requireLogin(), (_req, res) => void res.send('made'));
  app.get('/profile', clinician.requireLogin(), async (req, res) => void res.json(await clinician.api(req).profile()));
  if (loginOptions(provider, options).scope?.includes('basic')) {
    app.get('/notes', clinician.requireVerified(), (_req, res) => void res.send('notes'));
    app.get('/deep/:thing', clinician.requireVerified(), (req, res) => void res.send(`deep ${req.url}`));
  }
  return { app, clinician, sessions };
}
