import { WARNING_CODES } from '../errors/error-codes.js';
import { ConfigurationError } from '../errors/errors.js';
import { printWarning } from '../errors/print-warning.js';
import { isProduction } from '../production.js';
import type { TokenStore } from '../token-vault/token-store.js';

/** The token stores that the process has warned about. */
const reportedStores = new WeakSet<TokenStore>();

/** Prints a warning for a store in memory once, in production, because a site often has several processes there. */
export function warnOfMemoryStore(store: TokenStore): void {
  if (!store.inMemory || !isProduction() || reportedStores.has(store)) return;
  reportedStores.add(store);
  printWarning('memory_token_store', WARNING_CODES.memory_token_store);
}

/** Returns the error for a login whose tokens are, or were, in the memory of another process. */
export function tokensInMemory(): ConfigurationError {
  return new ConfigurationError(
    'tokens_in_memory',
    'passport-clinician: a login was created by another process, or before a restart, or the sign-in was created twice: the tokens are in another memory. Pass a tokenStore that all processes share, such as RedisTokenStore or PostgresTokenStore, and a session store. In one process, create the sign-in once, and import it.',
  );
}
