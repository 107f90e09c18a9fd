import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';

/** Handles the paths of the control API and the inspector. No fault applies to them, and they are not recorded. */
export interface AdminHandler {
  has(path: string): boolean;
  /** @returns undefined for a request that is not allowed: it gets 404, as for an unknown path. */
  respond(http: MockRequest): Promise<ProviderResponse | undefined> | ProviderResponse | undefined;
}
