import { describe, expect, test } from '@jest/globals';
import { Events } from '../../lib/events/events.js';
import type { ClinicianProfile } from '../../lib/resource-api/profile.js';
import { Logins, type SessionLogin } from '../../lib/session/logins.js';
import type { Tokens } from '../../lib/session/tokens.js';
import { movableClock } from '../token-vault/movable-clock.js';

const clock = movableClock();
const events = new Events({ clock, flow: 'openid', onEvent: () => undefined });

function createLogins(tokens: Tokens): Logins {
  return new Logins({ clock, tokens, events, idleTimeout: 1_000, absoluteTimeout: 10_000 });
}

const login: SessionLogin = {
  grantID: 'grant',
  id: '1',
  userKey: 'user',
  since: 0,
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
  const logins = createLogins(tokens);
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
  const logins = createLogins(tokens);
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
  const logins = createLogins(tokens);
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

/** Logins whose tokens are stored, unless `stored.is` is false. */
function loginsUnderTest() {
  const moved = movableClock();
  const emitted: (string | undefined)[] = [];
  const stored = { is: true, reads: 0 };
  const tokens = {
    onEnd: () => undefined,
    onScope: () => undefined,
    isStored: async () => {
      stored.reads += 1;
      return stored.is;
    },
  } as unknown as Tokens;
  const logins = new Logins({
    ...{ clock: moved, tokens, idleTimeout: 1_000, absoluteTimeout: 10_000 },
    events: new Events({ clock: moved, flow: 'openid', onEvent: ({ code }) => void emitted.push(code) }),
  });
  const signedIn = { ...login, since: moved.now(), scope: ['basic'] };
  return { logins, clock: moved, emitted, stored, signedIn };
}

describe('Logins', () => {
  test('a login is looked up once within the time, and again after it', async () => {
    const { logins, clock: moved, stored, signedIn } = loginsUnderTest();
    expect(await logins.isActive(signedIn, 100)).toBe(true);
    expect([logins.isActive(signedIn, 100), stored.reads]).toEqual([true, 1]);
    moved.advance(100);
    expect(await logins.isActive(signedIn, 100)).toBe(true);
    expect(stored.reads).toBe(2);
  });

  test('a login whose tokens are not stored is not active', async () => {
    const { logins, stored, signedIn } = loginsUnderTest();
    stored.is = false;
    expect(await logins.isActive(signedIn, 100)).toBe(false);
  });

  test('a login that has ended is not active, and its verification is unknown', () => {
    const { logins, stored, signedIn } = loginsUnderTest();
    logins.add(signedIn, { verified: true } as ClinicianProfile);
    expect(logins.lastVerification(signedIn)).toBe('verified');
    logins.end(signedIn.grantID);
    expect([logins.isActive(signedIn, 100), logins.hasEnded(signedIn), stored.reads]).toEqual([false, true, 0]);
    expect(logins.lastVerification(signedIn)).toBe('unknown');
  });

  test.each([
    ['idle for longer than idleTimeout', 1_001, 0],
    ['older than absoluteTimeout', 10_001, 10_000],
  ])('a login %s expires once, with an event', (_, ageMs, usedAtMs) => {
    const { logins, clock: moved, emitted, signedIn } = loginsUnderTest();
    const used = { ...signedIn, usedAt: signedIn.since + usedAtMs };
    moved.advance(ageMs - 1);
    expect(logins.use(used)).toBeDefined();
    moved.advance(1);
    expect([logins.use(used), logins.hasEnded(used), emitted]).toEqual([undefined, true, ['login_expired']]);
  });

  test('a use is stored when a twentieth of idleTimeout has passed since the last one', () => {
    const { logins, clock: moved, signedIn } = loginsUnderTest();
    moved.advance(50);
    expect(logins.use(signedIn)).toBe(signedIn);
    moved.advance(1);
    expect(logins.use(signedIn)).toEqual({ ...signedIn, usedAt: moved.now() });
  });

  test('a verified profile is not read again within the time, and scope basic is required', () => {
    const { logins, signedIn } = loginsUnderTest();
    logins.add(signedIn, { verified: true } as ClinicianProfile);
    expect(logins.verification(signedIn, 100)).toBe('verified');
    expect(logins.verification({ ...signedIn, scope: [] }, 100)).toBe('unknown');
  });
});
