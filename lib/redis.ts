export {
  type RedisClient,
  RedisTokenStore,
  type RedisTokenStoreOptions,
} from './token-vault/redis-token-store.js';
export type { StoredGrant, TokenStore, TokenStoreLock } from './token-vault/token-store.js';
