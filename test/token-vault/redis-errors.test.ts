import { describe, expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';

/** @returns the error of a store whose client rejects each command. */
async function storeError(reason: unknown): Promise<Error> {
  const client = { isOpen: true, isReady: true, eval: () => Promise.reject(reason) };
  return await new RedisTokenStore({ client }).delete('g').then(
    () => new Error('no error'),
    (error) => error,
  );
}

const IN_SCRIPT = 'script: 6b2a, on @user_script:3.';
const REDIS_6 = 'ERR Error running script (call to f_6b2a): @user_script:3:';

describe('an error reply of Redis', () => {
  test.each([
    ['NOAUTH', 'NOAUTH Authentication required.'],
    ['NOPERM', `NOPERM User site has no permissions to run the 'hset' command ${IN_SCRIPT}`],
    ['NOPERM', `ERR The user executing the script can't run this command or subcommand ${IN_SCRIPT}`],
    ['WRONGTYPE', `WRONGTYPE Operation against a key holding the wrong kind of value ${IN_SCRIPT}`],
    ['DENIED', 'DENIED Redis is running in protected mode because protected mode is enabled'],
    ['ERR', "ERR unknown command 'EVAL', with args beginning with: "],
    ['WRONGTYPE', `${REDIS_6} WRONGTYPE Operation against a key holding the wrong kind of value `],
    ['FUTURECODE', 'FUTURECODE a reply that this package does not know'],
  ])('%s is a refusal that names the code: %s', async (code, message) => {
    const error = await storeError(new Error(message));
    expect(error).toMatchObject({ code: 'token_store_refused', status: 500, remedy: 'fix_code', retryable: false });
    expect(error.message).toMatch(new RegExp(`^Redis replied ${code}\\. `));
    expect((error.cause as Error).message).toContain(message.trim().slice(0, 20));
  });

  test.each([
    ['READONLY', `READONLY You can't write against a read only replica. ${IN_SCRIPT}`],
    ['OOM', `OOM command not allowed when used memory > 'maxmemory'. ${IN_SCRIPT}`],
    ['MISCONF', 'MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk.'],
    ['OOM', `${REDIS_6} @user_script: 3: -OOM command not allowed when used memory > 'maxmemory'. `],
    ['READONLY', `${REDIS_6} @user_script: 3: -READONLY You can't write against a read only replica. `],
    ['WRONGPASS', 'WRONGPASS invalid username-password pair or user is disabled.'],
  ])('%s is retryable, because the state may end, and its message has the fix: %s', async (code, message) => {
    const error = await storeError(new Error(message));
    expect(error).toMatchObject({ code: 'token_store_unavailable', status: 503, remedy: 'retry', retryable: true });
    expect(error.message).toMatch(new RegExp(`^Redis replied ${code}\\. \\S.* Retry later\\.$`));
  });

  test.each([
    'LOADING Redis is loading the dataset in memory',
    'CLUSTERDOWN Hash slot not served',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'NOREPLICAS Not enough good replicas to write.',
    'ERR max number of clients reached',
    `ERR Script attempted to access a non local key in a cluster node ${IN_SCRIPT}`,
    'Too many Cluster redirections. Last error: ReplyError: MOVED 3999 127.0.0.1:6381',
  ])('that ends by itself is retryable: %s', async (message) => {
    expect(await storeError(new Error(message))).toMatchObject({ code: 'token_store_unavailable', retryable: true });
  });
});

test.each(['connect ECONNREFUSED 127.0.0.1:6379', 'Connection is closed.', ''])(
  'an error of a client is retryable: %s',
  async (message) => {
    expect(await storeError(new Error(message))).toMatchObject({ code: 'token_store_unavailable', status: 503 });
    expect(await storeError(message)).toMatchObject({ code: 'token_store_unavailable' });
  },
);
