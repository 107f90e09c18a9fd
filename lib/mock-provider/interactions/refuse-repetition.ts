import { maskName } from '../http/masking.js';
import { errorPage } from '../pages/error-page.js';
import type { Endpoint, Route } from '../protocol/endpoint.js';
import { Refusal } from '../protocol/refusal.js';

/** @returns the route of a page, which refuses a parameter that is sent more than once, in the query or in a form. */
export function refuseRepetition(route: Route): Route {
  const { GET, POST } = route;
  return { ...route, ...(GET && { GET: onceOnly(GET) }), ...(POST && { POST: onceOnly(POST) }) };
}

function onceOnly(endpoint: Endpoint): Endpoint {
  return function refuseRepeated(http) {
    const form = http.method === 'POST' && http.isForm ? http.form.repeated : [];
    const [name] = [...http.query.repeated, ...form];
    if (name === undefined) return endpoint(http);
    const description = `${maskName(name)} was sent more than once`;
    return errorPage(http, new Refusal('parameter-sent-once', 'invalid_request', description));
  };
}
