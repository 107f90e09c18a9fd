import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from '../integration/site.js';
import { testSecretLeaks } from './secret-leaks.js';

testSecretLeaks('everything in memory', async () => ({ tokenStore: new MemoryTokenStore(), contents: async () => '' }));

test('an error of a custom fetch that contains the request is not passed on with it', async () => {
  let sent = '';
  const failing: typeof fetch = (url, init) => {
    if (!String(url).endsWith('/oauth/token')) return fetch(url, { ...init, redirect: 'manual' });
    sent = String(init?.body);
    return Promise.reject(Object.assign(new Error('connection lost'), { request: sent }));
  };
  const caught: unknown[] = [];
  const site = siteFor(provider, {
    fetch: failing as never,
    onError: (error, _req, res) => {
      caught.push(error);
      res.status(error.status).end();
    },
  });
  await signIn(supertest.agent(site.app), provider, { as: 'verified' });
  const text = inspect(caught, { depth: 20, showHidden: true });
  expect(sent).toContain('code_verifier=');
  expect(text).toContain('service_unreachable');
  expect(text).not.toMatch(/code_verifier|client_secret/);
});
