import { addCrossOriginHeaders, preflightHeaders } from '../http/cors.js';
import { isAPIPath } from '../http/paths.js';
import type { BodyError, MockRequest } from '../http/request.js';
import { emptyResponse, jsonResponse, type ProviderResponse } from '../http/response.js';
import type { Endpoint, EndpointResult, Route } from '../protocol/endpoint.js';
import { type Refused, refuse, refusedAsJSON } from '../protocol/refusal.js';
import type { Grant } from '../state/grants.js';
import type { RouteTable } from './routes.js';

/** The paths of the control API, which reach the router when it is disabled. Those of the inspector are not among them. */
const CONTROL_PATH = /^\/_mock\/(?!inspector(\/|$))/;
const CONTROL_DISABLED =
  'The control API is disabled: start the mock provider with --control, or with the option control: true';

/** @returns the function that passes a request to the endpoint of its path and method. */
export function createRouter({ find, resourceAPI, browserSessions }: RouteTable): Endpoint {
  function refuseUnknown(http: MockRequest, grant: Grant | undefined): Refused {
    const isElsewhere = find(http.path) !== undefined;
    const isControl = CONTROL_PATH.test(http.path);
    const description = isControl ? CONTROL_DISABLED : 'Not Found';
    const refusal = refuse(isElsewhere ? 'path-at-its-address' : 'path-known', 404, description);
    if (http.address === 'api' || (http.address === undefined && isAPIPath(http.path))) {
      return resourceAPI.refuse(grant, refusal);
    }
    return { refusal, response: jsonResponse(404, { error: 'not_found', error_description: description }) };
  }

  /** Refuses another method. It also lists the methods for OPTIONS, and for preflight requests of pages of other origins. */
  function refuseMethod(http: MockRequest, route: Route, grant: Grant | undefined): EndpointResult {
    const methods = [route.GET && 'GET', route.head && 'HEAD', route.POST && 'POST'].filter(Boolean).join(', ');
    if (http.method === 'OPTIONS') {
      const rates = isAPIPath(http.path) ? resourceAPI.rateHeaders(grant) : {};
      return emptyResponse(204, { Allow: methods, ...rates, ...preflightHeaders(route.cors, methods) });
    }
    const refusal = refuse('method-allowed', 405, 'Method Not Allowed');
    if (isAPIPath(http.path)) return resourceAPI.refuse(grant, refusal, { Allow: methods });
    return { refusal, response: emptyResponse(405, { Allow: methods }) };
  }

  function refuseBody(http: MockRequest, error: BodyError, grant: Grant | undefined): Refused {
    const isTooLarge = error === 'too_large';
    const refusal = isTooLarge
      ? refuse('body-size-limited', 413, 'The body is too large', 'invalid_request')
      : refuse('body-is-text', 400, 'The body is not text', 'invalid_request');
    const headers = isTooLarge ? { Connection: 'close' } : {};
    return isAPIPath(http.path) ? resourceAPI.refuse(grant, refusal, headers) : refusedAsJSON(refusal, headers);
  }

  return async function route(http, grant) {
    const found = find(http.path, http.address);
    if (found === undefined) return refuseUnknown(http, grant);
    if (http.bodyError !== undefined) return refuseBody(http, http.bodyError, grant);
    const endpoint = endpointFor(found, http.method);
    const endedCookies = browserSessions.cookiesOfEnded(http);
    const result = await (endpoint?.(http, grant) ?? refuseMethod(http, found, grant));
    const response = responseOf(result);
    if (found.cors) response.headers = addCrossOriginHeaders(response.headers, found.cors);
    if (endedCookies.length > 0) {
      const cookies = [...endedCookies, ...[response.headers['Set-Cookie'] ?? []].flat()];
      response.headers = { ...response.headers, 'Cache-Control': 'no-store', 'Set-Cookie': cookies };
    }
    return result;
  };
}

/** @returns the response of an endpoint, also of a refusal. */
export function responseOf(result: EndpointResult): ProviderResponse {
  return 'refusal' in result ? result.response : result;
}

function endpointFor({ GET, POST, head }: Route, method: string): Endpoint | undefined {
  if (method === 'HEAD') return head ? GET : undefined;
  return method === 'GET' ? GET : method === 'POST' ? POST : undefined;
}
