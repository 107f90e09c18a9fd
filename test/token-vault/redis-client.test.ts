import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';

/** Two ids with different hash tags. */
const [ID, OTHER_ID] = ['g', 'long'];
const LIMIT = 5;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A client whose commands get no reply before `reply` is called. */
function silentClient() {
  const waiting: ((value: unknown) => void)[] = [];
  const client = {
    isOpen: true,
    isReady: true,
    eval: () => new Promise<unknown>((resolve) => waiting.push(resolve)),
  };
  const store = new RedisTokenStore({ client, timeout: 1_000 });
  const get = async (id = ID) => {
    const result = store.get(id).then(
      () => 'a reply',
      (error: Error) => error.message,
    );
    await jest.advanceTimersByTimeAsync(1_000);
    return await result;
  };
  return { client, get, waiting };
}

async function untilSilent() {
  const under = silentClient();
  for (let count = 0; count < LIMIT; count += 1) {
    expect(await under.get()).toBe('Redis did not reply in time. Retry later.');
  }
  return under;
}

const NOT_SENT = 'Redis does not respond. Retry later.';

test('after five commands without a reply, one is sent every five seconds', async () => {
  const { get, waiting } = await untilSilent();
  for (let count = 0; count < 4; count += 1) expect(await get()).toBe(NOT_SENT);
  expect(waiting).toHaveLength(LIMIT);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await get()).not.toBe(NOT_SENT);
  expect(await get()).toBe(NOT_SENT);
  expect(waiting).toHaveLength(LIMIT + 1);
});

test('commands for other nodes of a Cluster are sent meanwhile', async () => {
  const { get, waiting } = await untilSilent();
  expect(await get(OTHER_ID)).not.toBe(NOT_SENT);
  expect(waiting).toHaveLength(LIMIT + 1);
});

test('a late reply ends the wait', async () => {
  const { get, waiting } = await untilSilent();
  expect(await get()).toBe(NOT_SENT);
  waiting[0]?.([null, null, null, null]);
  await jest.advanceTimersByTimeAsync(0);
  expect(await get()).not.toBe(NOT_SENT);
});

test('a new connection ends the wait', async () => {
  const { client, get } = await untilSilent();
  expect(await get()).toBe(NOT_SENT);
  client.isReady = false;
  expect(await get()).toBe('Redis cannot be reached. Retry later.');
  client.isReady = true;
  expect(await get()).not.toBe(NOT_SENT);
});

test('a reply between them resets the count of commands without a reply', async () => {
  const { get, waiting } = silentClient();
  for (let count = 0; count < 3 * LIMIT; count += 1) {
    const result = get();
    if (count % LIMIT === 0) waiting.at(-1)?.([null, null, null, null]);
    expect(await result).not.toBe(NOT_SENT);
  }
  expect(waiting).toHaveLength(3 * LIMIT);
});
