import { expect, test } from '@jest/globals';
import { deserializeTokenSet, serializeTokenSet } from '../../lib/authorization-server/token-set.js';
import { Sealer } from '../../lib/sealing/sealer.js';
import { Secret } from '../../lib/sealing/secret.js';
import {
  GrantRecords,
  haveSameTokens,
  isFresh,
  isUsable,
  type VaultGrant,
} from '../../lib/token-vault/grant-records.js';
import { MemoryTokenStore } from '../../lib/token-vault/memory-token-store.js';
import { movableClock } from './movable-clock.js';
import { rotatingServer } from './rotating-server.js';
import { SECRET } from './vault-under-test.js';

const MINUTE_MS = 60_000;

function recordsUnderTest() {
  const clock = movableClock();
  const store = new MemoryTokenStore({ clock });
  const observed: number[] = [];
  const recordsOf = (instance: string, secret = SECRET) =>
    new GrantRecords({
      ...{ store, clock, instance, sealer: new Sealer([secret], 'tokens') },
      ...{ serialize: serializeTokenSet, deserialize: deserializeTokenSet },
      observe: ({ version }) => observed.push(version),
    });
  return { clock, store, observed, recordsOf, records: recordsOf('one'), server: rotatingServer(clock) };
}

const accessTokenOf = (grant: VaultGrant | undefined) => grant?.tokens.accessToken.reveal();
const unchanged = (grant: VaultGrant) => grant;

test('a grant that was added is read with its user, its tokens and the first version', async () => {
  const { records, server, observed } = recordsUnderTest();
  const added = await records.add('user', server.issue());
  expect(observed).toEqual([]);
  const read = await records.read(added.id);
  expect(read).toMatchObject({ id: added.id, userKey: 'user', version: 1, refreshAt: added.refreshAt });
  expect([accessTokenOf(read), observed]).toEqual(['access-1', [1]]);
});

test('find and read return nothing for a grant that does not exist, and require throws grant_ended', async () => {
  const { records } = recordsUnderTest();
  expect([await records.find('unknown'), await records.read('unknown')]).toEqual([undefined, undefined]);
  await expect(records.require('unknown')).rejects.toMatchObject({ code: 'grant_ended', remedy: 'sign_in' });
});

test.each<[string, (under: ReturnType<typeof recordsUnderTest>) => GrantRecords]>([
  ['grant_unreadable', ({ recordsOf }) => recordsOf('other')],
  [
    'grant_secret_unknown',
    ({ recordsOf }) => recordsOf('one', new Secret('another secret of thirty-two bytes or more')),
  ],
])('find returns nothing for a record that is %s, and read and require throw', async (code, foreign) => {
  const under = recordsUnderTest();
  const { id } = await under.records.add('user', under.server.issue());
  const other = foreign(under);
  expect(await other.find(id)).toBeUndefined();
  for (const method of ['read', 'require'] as const) await expect(other[method](id)).rejects.toMatchObject({ code });
  expect(under.observed).toEqual([]);
});

test('an update writes the changed content with the next version', async () => {
  const { records, server, observed } = recordsUnderTest();
  const added = await records.add('user', server.issue());
  expect(await records.update(added, (grant) => ({ ...grant, sessionID: 'session' }))).toBe(true);
  expect(await records.find(added.id)).toMatchObject({ version: 2, sessionID: 'session' });
  expect(observed).toEqual([2, 2]);
});

test('an update of a grant that was changed meanwhile decides by the stored one', async () => {
  const { records, server } = recordsUnderTest();
  const added = await records.add('user', server.issue());
  await records.update(added, (grant) => ({ ...grant, tokens: server.issue() }));
  const versions: number[] = [];
  const isUpdated = await records.update(added, (grant) => {
    versions.push(grant.version);
    return { ...grant, sessionID: 'session' };
  });
  expect([isUpdated, versions]).toEqual([true, [1, 2]]);
  const stored = await records.find(added.id);
  expect([accessTokenOf(stored), stored?.sessionID]).toEqual(['access-2', 'session']);
});

test('an update that is not wanted any more, or whose record was erased, changes nothing', async () => {
  const { records, server, store } = recordsUnderTest();
  const added = await records.add('user', server.issue());
  expect(await records.update(added, () => undefined)).toBe(false);
  await store.delete(added.id);
  expect(await records.update(added, unchanged)).toBe(false);
  expect(await store.get(added.id)).toBeUndefined();
});

test('an update that other processes always precede throws a retryable error', async () => {
  const { records, server, store } = recordsUnderTest();
  const added = await records.add('user', server.issue());
  store.swap = async () => false;
  await expect(records.update(added, unchanged)).rejects.toMatchObject({ code: 'refresh_busy', retryable: true });
});

test('each write prolongs the record to 30 days', async () => {
  const { records, server, store, clock } = recordsUnderTest();
  const added = await records.add('user', server.issue());
  clock.advance(MINUTE_MS);
  await records.update(added, unchanged);
  expect((await store.get(added.id))?.expiresAt).toBe(clock.now() + 30 * 24 * 60 * MINUTE_MS);
});

test.each([
  ['a minute before its expiry', 30 * MINUTE_MS, 29 * MINUTE_MS],
  ['after half of a short lifetime', 20_000, 10_000],
  ['at once, where it was issued expired', -MINUTE_MS, -MINUTE_MS],
])('an access token is refreshed %s', async (_, lifetimeMs, expected) => {
  const { records, server, clock } = recordsUnderTest();
  const { refreshAt } = await records.add('user', server.issue(lifetimeMs));
  expect(refreshAt - clock.now()).toBe(expected);
});

test('a token is fresh until its refresh, usable until its expiry, and neither after the API has refused it', async () => {
  const { records, server, clock } = recordsUnderTest();
  const grant = await records.add('user', server.issue(30 * MINUTE_MS));
  const states = () => [isFresh(grant, undefined, clock), isUsable(grant, undefined, clock)];
  expect(states()).toEqual([true, true]);
  expect([isFresh(grant, 'access-1', clock), isUsable(grant, 'access-1', clock)]).toEqual([false, false]);
  clock.advance(29 * MINUTE_MS);
  expect(states()).toEqual([false, true]);
  clock.advance(MINUTE_MS);
  expect(states()).toEqual([false, false]);
});

test('a session id does not change the tokens of a grant, and a refresh does', async () => {
  const { records, server } = recordsUnderTest();
  const added = await records.add('user', server.issue());
  await records.update(added, (grant) => ({ ...grant, sessionID: 'session' }));
  const withSession = await records.find(added.id);
  expect(haveSameTokens(added, withSession)).toBe(true);
  await records.update(added, (grant) => ({ ...grant, tokens: server.issue() }));
  expect(haveSameTokens(added, await records.find(added.id))).toBe(false);
  expect(haveSameTokens(added, undefined)).toBe(false);
});
