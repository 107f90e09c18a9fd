import type { CrossOrigin } from '../http/cors.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';

/** Answers one request for a path, with a method that the path has. */
export type Endpoint = (
  instance: ProviderInstance,
  http: MockRequest,
) => Promise<ProviderResponse | Refused> | ProviderResponse | Refused;

/** What there is at a path: an endpoint for each method. */
export interface Route {
  readonly GET?: Endpoint;
  readonly POST?: Endpoint;
  /** Where GET changes nothing, HEAD is GET without a body (decision 2). */
  readonly head?: boolean;
  /** Which pages of other origins may read the answer. @default none */
  readonly cors?: CrossOrigin;
}
