import { describe, expect, test } from '@jest/globals';
import { Events } from '../../lib/events/events.js';
import type { ClinicianProfile } from '../../lib/resource-api/profile.js';
import { Logins, type SessionLogin } from '../../lib/session/logins.js';
import type { KnownLogin, Tokens } from '../../lib/session/tokens.js';
import { movableClock } from '../token-vault/movable-clock.js';

const login: SessionLogin = { grantID: 'grant', id: '1', userKey: 'user', since: 0, scope: [] };

/** Logins whose tokens are stored, unless `stored.is` is false. */
function loginsUnderTest() {
  const moved = movableClock();
  const emitted: (string | undefined)[] = [];
  const stored = { is: true, reads: 0 };
  const known = new Map<string, KnownLogin>([[login.grantID, {}]]);
  const tokens = {
    known,
    end: (grantID: string) => void known.set(grantID, { hasEnded: true }),
    isStored: async (grantID: string) => {
      stored.reads += 1;
      if (stored.is) known.set(grantID, { foundAt: moved.now() });
      return stored.is;
    },
  } as unknown as Tokens;
  const logins = new Logins({
    ...{ clock: moved, tokens, idleTimeout: 1_000, absoluteTimeout: 10_000 },
    events: new Events({ clock: moved, flow: 'openid', onEvent: ({ code }) => void emitted.push(code) }),
  });
  const signedIn = { ...login, since: moved.now(), scope: ['basic'] };
  return { logins, tokens, clock: moved, emitted, stored, signedIn };
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
    const { logins, tokens, stored, signedIn } = loginsUnderTest();
    logins.add(signedIn, { verified: true } as ClinicianProfile);
    expect(logins.lastVerification(signedIn)).toBe('verified');
    tokens.end(signedIn.grantID);
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
