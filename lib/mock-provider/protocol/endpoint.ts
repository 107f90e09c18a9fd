import type { CrossOrigin } from '../http/cors.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Grant } from '../state/grants.js';
import type { Refused } from './refusal.js';

export type EndpointResult = ProviderResponse | Refused;

/** Handles one request for a path, with a method that the path has. `grant`: of the access token, if it is valid. */
export type Endpoint = (http: MockRequest, grant?: Grant) => EndpointResult | Promise<EndpointResult>;

/** The endpoints of a path by method. */
export interface Route {
  readonly GET?: Endpoint;
  readonly POST?: Endpoint;
  /** True if HEAD is GET without a body, because GET changes nothing. */
  readonly head?: boolean;
  /** Which pages of other origins may read the response. @default none */
  readonly cors?: CrossOrigin;
}
