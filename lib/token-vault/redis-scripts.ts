import { isClinicianError, ServiceUnavailableError } from '../errors.js';
import { withTimeout } from '../with-timeout.js';

// Each script is one atomic operation. A grant is a hash; the index of a user is a sorted set of grant ids, by expiry.

/** Writes a grant. KEYS: grant, index of its user. ARGV: grant id, prefix of indexes, user key, version, sealed, expiresAt, TTL in ms. */
export const PUT = `
local before = redis.call('HGET', KEYS[1], 'userKey')
if before then redis.call('ZREM', ARGV[2] .. before, ARGV[1]) end
redis.call('DEL', KEYS[1])
local ttl = tonumber(ARGV[7])
if ttl <= 0 then return 1 end
redis.call('HSET', KEYS[1], 'userKey', ARGV[3], 'version', ARGV[4], 'sealed', ARGV[5], 'expiresAt', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[7])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZADD', KEYS[2], now + ttl, ARGV[1])
if redis.call('PTTL', KEYS[2]) < ttl then redis.call('PEXPIRE', KEYS[2], ARGV[7]) end
return 1
`;

/** Runs as {@link PUT}, with the expected version as eighth argument. Returns 0, without a change, when it is another. */
export const SWAP: string = `if redis.call('HGET', KEYS[1], 'version') ~= ARGV[8] then return 0 end${PUT}`;

/** Reads a grant. KEYS: grant. */
export const GET = `return redis.call('HMGET', KEYS[1], 'userKey', 'version', 'sealed', 'expiresAt')`;

/** Erases a grant. KEYS: grant. ARGV: grant id, prefix of indexes. */
export const DELETE = `
local userKey = redis.call('HGET', KEYS[1], 'userKey')
if userKey then redis.call('ZREM', ARGV[2] .. userKey, ARGV[1]) end
return redis.call('DEL', KEYS[1])
`;

/** Returns the ids whose grant exists. KEYS: index. ARGV: prefix of grants. */
export const GRANTS_OF = `
local found = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if redis.call('EXISTS', ARGV[1] .. id) == 1 then found[#found + 1] = id end
end
return found
`;

/** Acquires a lock. KEYS: lock. ARGV: owner, TTL in ms. */
export const LOCK = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0
`;

/** Releases a lock. KEYS: lock. ARGV: owner. */
export const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/**
 * Describes the methods of a client of the package `redis` that are used: `createClient()`, `createCluster()` and others have
 * them.
 */
export interface RedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** False while there is no connection: then calls fail at once, instead of waiting in the client's queue. */
  readonly isReady?: boolean;
}

/** Runs one script, and always settles within the time limit. */
export type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/** An empty `typeMapping` makes replies strings, whatever type mapping the site has configured. */
interface CommandOptions {
  timeout: number;
  typeMapping: Record<string, never>;
}

type Configurable = RedisClient & { withCommandOptions?(options: CommandOptions): RedisClient };

/** @returns a function that runs scripts on a client, each within the time limit. */
export function boundedScripts(client: RedisClient, timeoutMs: number): RunScript {
  // With this option the client removes a command that is still in its queue after the time limit: it must not run later.
  const options = { timeout: timeoutMs, typeMapping: {} };
  const bounded = (client as Configurable).withCommandOptions?.(options) ?? client;

  return async function runScript(script, keys, args) {
    if (client.isReady === false) throw unavailable();
    try {
      return await withTimeout(timeoutMs, bounded.eval(script, { keys, arguments: args }));
    } catch (error) {
      throw isClinicianError(error) ? error : unavailable(error);
    }
  };
}

function unavailable(cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('token_store_unavailable', 'Redis cannot be reached. Retry later.', { cause });
}
