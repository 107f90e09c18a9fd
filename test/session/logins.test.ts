import { expect, test } from '@jest/globals';
import { createLogins, type SessionLogin } from '../../lib/session/logins.js';
import { createSiteSessionStore } from '../../lib/session/session-store.js';
import type { Tokens } from '../../lib/session/tokens.js';

const login: SessionLogin = {
  grantID: 'grant',
  userKey: 'user',
  since: 0,
  identity: { id: '1', issuer: 'https://auth.service.example' },
  scope: [],
};

test('a login that ends while the token store is read is not active', async () => {
  let respond: (isStored: boolean) => void = () => undefined;
  const promise = new Promise<boolean>((resolve) => {
    respond = resolve;
  });
  const tokens = {
    onEnd: () => undefined,
    onScope: () => undefined,
    isStored: () => promise,
  } as unknown as Tokens;
  const logins = createLogins({ clock: { now: () => 1 }, tokens, sessionStore: createSiteSessionStore('instance') });
  const isActive = logins.isActive(login, 0);
  logins.end(login.grantID);
  respond(true);
  expect(await isActive).toBe(false);
});

test('a profile that arrives after the end of its login is refused, and not remembered', async () => {
  let respond: (profile: object) => void = () => undefined;
  const promise = new Promise<object>((resolve) => {
    respond = resolve;
  });
  const tokens = {
    onEnd: () => undefined,
    onScope: () => undefined,
    grant: () => ({ api: { profile: () => promise } }),
  } as unknown as Tokens;
  const logins = createLogins({ clock: { now: () => 1 }, tokens, sessionStore: createSiteSessionStore('instance') });
  const signedIn = { ...login, scope: ['basic'] };
  const verification = logins.verification(signedIn, 0);
  logins.end(login.grantID);
  respond({ verified: true });
  await expect(verification).rejects.toMatchObject({ code: 'grant_ended', remedy: 'sign_in' });
  expect(logins.lastVerification(signedIn)).toBe('unknown');
});

test('the scope is that of the newest tokens, and that of the sign-in until they are read', () => {
  let read: Parameters<Tokens['onScope']>[0] = () => undefined;
  const tokens = {
    onEnd: () => undefined,
    onScope: (listener: typeof read) => {
      read = listener;
    },
  } as unknown as Tokens;
  const logins = createLogins({ clock: { now: () => 1 }, tokens, sessionStore: createSiteSessionStore('instance') });
  const signedIn = { ...login, scope: ['basic', 'email'] };
  expect(logins.scopeOf(signedIn)).toEqual(['basic', 'email']);
  read('grant', ['basic'], 2);
  read('other', [], 9);
  read('grant', ['basic', 'email'], 1);
  expect(logins.scopeOf(signedIn)).toEqual(['basic']);
  read('grant', ['basic', 'email'], 3);
  expect(logins.scopeOf(signedIn)).toEqual(['basic', 'email']);
  expect(logins.lastVerification(signedIn)).toBe('unknown');
});
