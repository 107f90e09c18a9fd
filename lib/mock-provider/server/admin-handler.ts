import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';

/** What answers at the paths that are no part of the service: the control API and the inspector. Neither faults nor the record know of them. */
export interface AdminHandler {
  /** @returns true for a path that is answered here. */
  has(path: string): boolean;
  /** @returns undefined for whoever is to find nothing here. */
  answer(http: MockRequest): Promise<ProviderResponse | undefined> | ProviderResponse | undefined;
}
