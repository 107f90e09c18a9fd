import { expect, test } from '@jest/globals';
import { createLogins, type SessionLogin } from '../../lib/session/logins.js';
import type { TokenManager } from '../../lib/session/token-manager.js';

const login: SessionLogin = {
  grantID: 'grant',
  userKey: 'user',
  since: 0,
  identity: { id: '1', issuer: 'https://auth.service.example' },
  scope: [],
};

test('a login that ends while the token store is read is not active', async () => {
  let respond: (tokens: object) => void = () => undefined;
  const promise = new Promise<object>((resolve) => {
    respond = resolve;
  });
  const tokens = { onEnd: () => undefined, vault: { tokens: () => promise } } as unknown as TokenManager;
  const logins = createLogins({ clock: { now: () => 1 }, tokens });
  const isActive = logins.isActive(login, 0);
  logins.end(login.grantID);
  respond({});
  expect(await isActive).toBe(false);
});
