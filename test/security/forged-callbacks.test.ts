import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { createSite } from '../../example-app/src/app.js';
import { readConfig } from '../../example-app/src/config.js';
import { type ClinicianLogin, clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, navigation, sealingSecret } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  jest.spyOn(console, 'info').mockReturnValue();
  provider = await startMockProvider();
});
afterAll(() => provider.stop());

interface Site {
  app: Express;
  sessions: session.MemoryStore;
}

function referenceSite(): Site {
  const { issuer, apiURL, clientID, clientSecret } = loginOptions(provider);
  const config = readConfig({
    SESSION_SECRET: sealingSecret,
    CLINICIAN_ISSUER: issuer,
    CLINICIAN_API_URL: apiURL,
    CLINICIAN_CLIENT_ID: clientID,
    CLINICIAN_CLIENT_SECRET: clientSecret,
  });
  const sessions = new session.MemoryStore();
  const outages = { failed: () => undefined, succeeded: () => undefined };
  const stores = { sessions, tokens: new MemoryTokenStore(), outages, close: () => undefined };
  return { app: createSite({ ...config, stores }).app, sessions };
}

/** The Passport example of the documents. */
async function readmeSite(): Promise<Site> {
  const program = '../examples/programs/add-passport.mjs';
  const { addSignIn } = (await import(program)) as { addSignIn(app: Express, clinician: ClinicianLogin): void };
  const sessions = new session.MemoryStore();
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions }));
  addSignIn(app, clinicianLogin(loginOptions(provider)));
  return { app, sessions };
}

function storedSessions({ sessions }: Site): Promise<object> {
  return new Promise((resolve) => sessions.all((_error, all) => resolve(all ?? {})));
}

const FORGED = '/auth/callback?code=forged&state=forged';

describe.each<[string, () => Promise<Site> | Site]>([
  ['the reference site', referenceSite],
  ['the Passport example of the documents', readmeSite],
])('in %s', (_, create) => {
  test('forged callbacks and denials show the failure, and no session is stored', async () => {
    const site = await create();
    const browser = supertest.agent(site.app);
    for (const agent of [supertest.agent(site.app), browser, browser]) {
      const page = await agent.get(FORGED).set(navigation).redirects(1);
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('You are not signed in')]);
    }
    const page = await signIn(browser, provider, { as: 'verified', deny: true });
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('You are not signed in')]);
    expect(await storedSessions(site)).toEqual({});
  });
});
