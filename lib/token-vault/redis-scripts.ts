import { MAX_LISTED } from './token-store.js';

// Each script is one atomic operation. A grant is a hash; the index of a user is a sorted set of grant ids, by expiry.
// All keys of one script have the same hash tag. A script derives further keys from its first ones, which include a prefix that
// the client adds.

/** Writes a grant. KEYS: grant, index of its user. ARGV: grant id, user key, version, sealed, expiresAt, TTL in ms. */
// HSET is the first command that writes: Redis checks its memory limit only there.
export const PUT = `
local before = redis.call('HGET', KEYS[1], 'userKey')
local ttl = tonumber(ARGV[6])
if ttl > 0 then
  redis.call('HSET', KEYS[1], 'userKey', ARGV[2], 'version', ARGV[3], 'sealed', ARGV[4], 'expiresAt', ARGV[5])
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
else
  redis.call('DEL', KEYS[1])
end
if before then redis.call('ZREM', string.sub(KEYS[2], 1, -#ARGV[2] - 1) .. before, ARGV[1]) end
if ttl <= 0 then return 1 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZADD', KEYS[2], now + ttl, ARGV[1])
if redis.call('PTTL', KEYS[2]) < ttl then redis.call('PEXPIRE', KEYS[2], ARGV[6]) end
return 1
`;

/**
 * Runs as {@link PUT}, with the expected version as seventh argument. Returns 0, without a change, when it is another. Returns 1
 * when the record is stored already: clients send a command again when the connection was lost before its reply.
 */
export const SWAP: string = `
local stored = redis.call('HMGET', KEYS[1], 'version', 'sealed')
if stored[1] == ARGV[3] and stored[2] == ARGV[4] then return 1 end
if stored[1] ~= ARGV[7] then return 0 end
${PUT}`;

/** Runs as the command HMGET. KEYS: hash. ARGV: fields. */
export const READ_HASH = `return redis.call('HMGET', KEYS[1], unpack(ARGV))`;

/** Erases a grant. KEYS: grant. ARGV: grant id. */
export const DELETE = `
local userKey = redis.call('HGET', KEYS[1], 'userKey')
if userKey then redis.call('ZREM', string.sub(KEYS[1], 1, -#ARGV[1] - #'grant:' - 1) .. 'user:' .. userKey, ARGV[1]) end
return redis.call('DEL', KEYS[1])
`;

/** Returns each of the first ids whose grant exists, followed by its `expiresAt`. KEYS: index. ARGV: user key. */
export const GRANTS_OF: string = `
local found = {}
local grants = string.sub(KEYS[1], 1, -#ARGV[1] - #'user:' - 1) .. 'grant:'
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, ${MAX_LISTED - 1})) do
  local expiresAt = redis.call('HGET', grants .. id, 'expiresAt')
  if expiresAt then
    found[#found + 1] = id
    found[#found + 1] = expiresAt
  end
end
return found
`;

/** Acquires a lock, also when this owner has it: its command may be sent twice. KEYS: lock. ARGV: owner, TTL in ms. */
export const LOCK = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
return 0
`;

/** Releases a lock. KEYS: lock. ARGV: owner. */
export const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;
