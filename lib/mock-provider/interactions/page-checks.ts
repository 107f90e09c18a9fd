import type { MockRequest } from '../http/request.js';
import { errorPage } from '../pages/error-page.js';
import type { Endpoint, EndpointResult, Route } from '../protocol/endpoint.js';
import { invalidRequest, refuseRepeated } from '../protocol/refusal.js';

/** The values of Sec-Fetch-Dest for a document inside of another one. */
const FRAMES: ReadonlySet<string> = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);

/**
 * @returns the route of the authorization endpoint or of one of its pages, which refuses requests for a frame completely. Each
 * response, also a redirect, forbids frames.
 */
export function refuseFrames(route: Route): Route {
  return wrapEndpoints(route, (endpoint) => async (http) => {
    const result = FRAMES.has(String(http.headers['sec-fetch-dest'])) ? refuseFramed(http) : await endpoint(http);
    const response = 'refusal' in result ? result.response : result;
    // The policy of a page forbids frames too.
    response.headers = {
      'Content-Security-Policy': "frame-ancestors 'none'",
      'X-Frame-Options': 'DENY',
      ...response.headers,
    };
    return result;
  });
}

function refuseFramed(http: MockRequest): EndpointResult {
  return errorPage(
    http,
    invalidRequest('authorization-not-framed', 'The authorization page was requested for a frame'),
  );
}

/** @returns the route of a page, which refuses a parameter that is sent more than once, in the query or in a form. */
export function refuseRepetition(route: Route): Route {
  return wrapEndpoints(route, (endpoint) => (http) => {
    const refusal = refuseRepeated(http.parameters);
    return refusal === undefined ? endpoint(http) : errorPage(http, refusal);
  });
}

function wrapEndpoints(route: Route, wrap: (endpoint: Endpoint) => Endpoint): Route {
  const { GET, POST } = route;
  return { ...route, ...(GET && { GET: wrap(GET) }), ...(POST && { POST: wrap(POST) }) };
}
