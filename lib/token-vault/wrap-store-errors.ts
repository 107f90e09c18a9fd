import { isClinicianError, ServiceUnavailableError } from '../errors.js';
import type { TokenStore } from './token-store.js';

/** @returns the store with every failure of its own as a retryable error: a store that is down signs nobody out. */
export function wrapStoreErrors(store: TokenStore): TokenStore {
  return {
    get: (grantID) => reached(store.get(grantID)),
    put: (grantID, grant) => reached(store.put(grantID, grant)),
    swap: (grantID, expectedVersion, grant) => reached(store.swap(grantID, expectedVersion, grant)),
    delete: (grantID) => reached(store.delete(grantID)),
    grantsOf: (userKey) => reached(store.grantsOf(userKey)),
    lock: (grantID, lifeMs) => reached(store.lock(grantID, lifeMs)),
  };
}

async function reached<R>(answer: Promise<R>): Promise<R> {
  try {
    return await answer;
  } catch (error) {
    if (isClinicianError(error)) throw error;
    throw new ServiceUnavailableError('token_store_unavailable', 'The token store cannot be reached.', error);
  }
}
