import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { signedInAt, siteFor } from './site.js';

test('a process without the current client secret ends no login: sign-ins and refreshes fail until it has it', async () => {
  const events: ClinicianEvent[] = [];
  const shared = {
    clock: provider.clock,
    tokenStore: new MemoryTokenStore({ clock: provider.clock }),
    session: { store: new session.MemoryStore() },
    onSignIn: () => ({ id: 'user-1' }),
    onEvent: (event: ClinicianEvent) => events.push(event),
  };
  const current = siteFor(provider, shared).app;
  const outdated = siteFor(provider, { ...shared, clientSecret: 'planted-old-client-secret' }).app;
  let site = current;
  const agent = await signedInAt(
    (req: IncomingMessage, res: ServerResponse) => site(req as never, res as never),
    provider,
  );
  await agent.get('/profile').expect(200);

  site = outdated;
  await agent.get('/profile').expect(200);
  provider.clock.advance('2 hours');
  await agent.get('/me').expect(200);
  await agent.get('/profile').expect(500);
  await agent.get('/me').expect(200);
  expect((await signIn(supertest.agent(outdated), provider, { as: 'connected' })).status).toBe(500);

  site = current;
  await agent.get('/profile').expect(200);
  const failures = events.filter(({ code }) => code === 'invalid_client');
  expect(new Set(failures.map(({ name }) => name))).toEqual(new Set(['refresh_failed', 'sign_in_failed']));
  expect(failures[0]).toMatchObject({ name: 'refresh_failed', level: 'error', userID: 'user-1' });
  expect(events.map(({ name }) => name)).not.toContain('login_ended');
});
