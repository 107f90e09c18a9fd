import { expect, test } from '@jest/globals';
import { Events } from '../../lib/events.js';
import { LoginSession } from '../../lib/session/login-session.js';
import type { Logins, SessionLogin } from '../../lib/session/logins.js';
import { SignOut } from '../../lib/session/sign-out.js';
import type { Tokens } from '../../lib/session/tokens.js';

test('a login whose tokens cannot be erased ends, and emits erasure_failed', async () => {
  const emitted: string[] = [];
  const ended: string[] = [];
  const signOut = new SignOut({
    loginSession: new LoginSession('instance'),
    tokens: { revokeAndDelete: () => Promise.reject(new Error('down')) } as unknown as Tokens,
    sessionStore: { remove: () => Promise.resolve() },
    logins: { end: (grantID: string) => void ended.push(grantID) } as unknown as Logins,
    events: new Events({ clock: { now: () => 1 }, flow: 'openid', onEvent: ({ name }) => void emitted.push(name) }),
  });
  expect(await signOut.discard({ grantID: 'grant', userKey: 'user' } as SessionLogin)).toBeUndefined();
  expect([ended, emitted]).toEqual([['grant'], ['erasure_failed']]);
});
