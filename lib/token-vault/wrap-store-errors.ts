import { isClinicianError, ServiceUnavailableError } from '../errors.js';
import type { TokenStore } from './token-store.js';

/** @returns the store with each of its errors as a retryable error, so that an outage of the store signs no user out. */
export function wrapStoreErrors(store: TokenStore): TokenStore {
  return {
    get: (grantID) => wrapError(store.get(grantID)),
    put: (grantID, grant) => wrapError(store.put(grantID, grant)),
    swap: (grantID, expectedVersion, grant) => wrapError(store.swap(grantID, expectedVersion, grant)),
    delete: (grantID) => wrapError(store.delete(grantID)),
    grantsOf: (userKey) => wrapError(store.grantsOf(userKey)),
    lock: (grantID, ttlMs) => wrapError(store.lock(grantID, ttlMs)),
  };
}

async function wrapError<R>(result: Promise<R>): Promise<R> {
  try {
    return await result;
  } catch (error) {
    if (isClinicianError(error)) throw error;
    throw new ServiceUnavailableError(
      'token_store_unavailable',
      'The token store cannot be reached. Retry later.',
      error,
    );
  }
}
