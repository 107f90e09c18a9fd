import { maskName } from '../http/masking.js';
import type { MockRequest } from '../http/request.js';
import { errorPage } from '../pages/error-page.js';
import type { Endpoint, EndpointResult, Route } from '../protocol/endpoint.js';
import { Refusal } from '../protocol/refusal.js';

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
  const description = 'The authorization page was requested for a frame';
  return errorPage(http, new Refusal('authorization-not-framed', 'invalid_request', description));
}

/** @returns the route of a page, which refuses a parameter that is sent more than once, in the query or in a form. */
export function refuseRepetition(route: Route): Route {
  return wrapEndpoints(route, (endpoint) => (http) => {
    const [name] = http.parameters.repeated;
    if (name === undefined) return endpoint(http);
    const description = `${maskName(name)} was sent more than once`;
    return errorPage(http, new Refusal('parameter-sent-once', 'invalid_request', description));
  });
}

function wrapEndpoints(route: Route, wrap: (endpoint: Endpoint) => Endpoint): Route {
  const { GET, POST } = route;
  return { ...route, ...(GET && { GET: wrap(GET) }), ...(POST && { POST: wrap(POST) }) };
}
