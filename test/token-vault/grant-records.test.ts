import { expect, test } from '@jest/globals';
import { PendingWork } from '../../lib/async/work.js';
import { Sealer } from '../../lib/sealing/sealer.js';
import { GrantRecords, isFresh, isUsable } from '../../lib/token-vault/grant-records.js';
import { MemoryTokenStore } from '../../lib/token-vault/memory-token-store.js';
import { movableClock } from './movable-clock.js';
import { rotatingServer } from './rotating-server.js';
import { loginOf, SECRET } from './vault-under-test.js';

const MINUTE_MS = 60_000;

function recordsUnderTest() {
  const clock = movableClock();
  const store = new MemoryTokenStore({ clock });
  const sealer = new Sealer([SECRET], 'tokens');
  const records = new GrantRecords({ store, clock, instance: 'one', sealer, work: new PendingWork() });
  return { clock, records, server: rotatingServer(clock) };
}

test.each([
  ['a minute before its expiry', 30 * MINUTE_MS, 29 * MINUTE_MS],
  ['after half of a short lifetime', 20_000, 10_000],
  ['at once, where it was issued expired', -MINUTE_MS, -MINUTE_MS],
])('an access token is refreshed %s', async (_, lifetimeMs, expected) => {
  const { records, server, clock } = recordsUnderTest();
  const { refreshAt } = await records.add(loginOf('user'), server.issue(lifetimeMs));
  expect(refreshAt - clock.now()).toBe(expected);
});

test('a token is fresh until its refresh, usable until its expiry, and neither after the API has refused it', async () => {
  const { records, server, clock } = recordsUnderTest();
  const grant = await records.add(loginOf('user'), server.issue(30 * MINUTE_MS));
  const states = () => [isFresh(grant, undefined, clock), isUsable(grant, undefined, clock)];
  expect(states()).toEqual([true, true]);
  expect([isFresh(grant, 'access-1', clock), isUsable(grant, 'access-1', clock)]).toEqual([false, false]);
  clock.advance(29 * MINUTE_MS);
  expect(states()).toEqual([false, true]);
  clock.advance(MINUTE_MS);
  expect(states()).toEqual([false, false]);
});
