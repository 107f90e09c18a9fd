import { describe, expect, test } from '@jest/globals';
import { MemoryTokenStore } from '../../lib/token-vault/memory-token-store.js';
import { movableClock } from './movable-clock.js';

describe('MemoryTokenStore', () => {
  const clock = movableClock();
  const grant = (userKey: string) => ({ userKey, sealed: 's', version: 1, expiresAt: clock.now() + 1_000 });

  test('a full store drops the login that was written longest ago', async () => {
    const store = new MemoryTokenStore({ clock });
    for (let n = 0; n < 100_000; n += 1) await store.put(`${n}`, grant(`user ${n}`));
    await store.swap('0', 1, grant('user 0'));
    await store.put('new', grant('new'));
    const found = await Promise.all(['0', '1', '2', 'new'].map(async (id) => (await store.get(id)) && id));
    expect(found).toEqual(['0', undefined, '2', 'new']);
    expect(await store.grantsOf('user 1')).toEqual([]);
  });

  test('each write erases two expired logins', async () => {
    const store = new MemoryTokenStore({ clock });
    for (let n = 0; n < 100; n += 1) await store.put(`old ${n}`, grant('user'));
    clock.advance(2_000);
    for (let n = 0; n < 50; n += 1) await store.put(`new ${n}`, grant('user'));
    expect(store.size).toBe(50);
  });
});
