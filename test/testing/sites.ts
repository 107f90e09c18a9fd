import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import express, { type Express } from 'express';
import session, { type CookieOptions } from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import type { MockProvider } from 'passport-clinician/mock-provider';

export interface SiteOptions {
  callbackURL?: string;
  cookie?: CookieOptions;
  trustProxy?: boolean;
}

/** @returns a site with clinicianLogin and one page for signed-in users. */
export function site({ issuer, apiURL, clients, ca }: MockProvider, options: SiteOptions = {}): Express {
  const { callbackURL = 'http://127.0.0.1:5001/auth/callback', cookie = {}, trustProxy = false } = options;
  const clinician = clinicianLogin({
    issuer,
    apiURL,
    clientID: clients.openid.clientID,
    clientSecret: clients.openid.clientSecret,
    callbackURL,
    ...(ca !== undefined && { ca }),
    secret: 'only for this test, and long enough for a key',
    scope: 'openid basic',
  });
  const app = express();
  app.set('trust proxy', trustProxy);
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false, cookie }));
  app.use(clinician);
  app.get('/notes', clinician.requireLogin(), (req, res) => void res.json({ verified: req.clinician.verification }));
  app.get('/', (req, res) => void res.json({ signedIn: req.clinician.isAuthenticated }));
  return app;
}

/** @returns a server that returns a fixed status and headers for each path. */
export function fixedResponses(paths: Readonly<Record<string, [number, Record<string, string>?]>>): Server {
  return createServer((req, res) => {
    const [status, headers] = paths[(req.url ?? '').replace(/\?.*/, '')] ?? [404];
    res.writeHead(status, headers).end();
  });
}

/** @returns the URL of a valid authorization request, with parameters that replace its own. */
export function authorizationRequest(
  { issuer, clients }: MockProvider,
  parameters: Record<string, string> = {},
): string {
  const url = new URL(`${issuer}/oauth/authorize`);
  const all = {
    client_id: clients.openid.clientID,
    redirect_uri: 'http://127.0.0.1:5001/auth/callback',
    response_type: 'code',
    scope: 'openid',
    state: randomUUID(),
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...parameters,
  };
  url.search = new URLSearchParams(all).toString();
  return url.href;
}
