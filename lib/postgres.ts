export {
  type PostgresClient,
  type PostgresPool,
  PostgresTokenStore,
  type PostgresTokenStoreOptions,
} from './token-vault/postgres-token-store.js';
export type { StoredGrant, TokenStore, TokenStoreLock } from './token-vault/token-store.js';
