import { crossOriginHeaders, preflightHeaders } from '../http/cors.js';
import type { MockRequest } from '../http/request.js';
import { emptyResponse, jsonResponse, type ProviderResponse } from '../http/response.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { RuleID } from '../protocol/rules.js';
import type { ProviderInstance } from '../provider-instance.js';
import { clientOfRequest, signedInUsername } from '../recording/parties.js';
import { answerNothing, isAPI } from '../resource-api/resource-api.js';
import { ExchangeFaults } from './exchange-faults.js';
import type { Endpoint, Route } from './route.js';
import { ROUTES } from './routes.js';

/** Answers one request, whatever it came over, and takes it down. */
export async function answer(instance: ProviderInstance, http: MockRequest): Promise<ProviderResponse> {
  const atDesk = instance.adminHandler?.has(http.path) ? await instance.adminHandler.answer(http) : undefined;
  if (atDesk) return atDesk;
  const { problems, recorder } = instance;
  const clientID = clientOfRequest(http, instance.grants);
  const faults = new ExchangeFaults(instance, http, clientID);
  const failure = faults.failure();
  const result = failure ?? (await route(instance, faults.request));
  const refusal = 'refusal' in result ? result.refusal : undefined;
  const endpointResponse = 'refusal' in result ? result.response : result;
  const originalResponse = failure ?? (await faults.changeContent(endpointResponse));
  const clinician = signedInUsername(http, originalResponse, instance);
  const response = faults.changeResponse(originalResponse);
  const fault = faults.applied;
  const recorded = recorder.add({ http, response, originalResponse, clientID, clinician, refusal, fault });
  if (refusal) problems.add(recorded, refusal);
  return response;
}

/** @returns true for a path that is the provider's, where it shares a server with a site. */
export function isOurs({ adminHandler }: ProviderInstance, path: string): boolean {
  return ROUTES.has(path) || (path !== '/' && adminHandler?.has(path) === true);
}

async function route(instance: ProviderInstance, http: MockRequest): Promise<ProviderResponse | Refused> {
  const found = ROUTES.get(http.path);
  if (found === undefined) return nothingThere(instance, http);
  if (http.bodyFault !== undefined) return badBody(http.bodyFault);
  const endpoint = endpointFor(found, http.method);
  const result = endpoint === undefined ? otherMethod(instance, http, found) : await endpoint(instance, http);
  const { headers } = 'refusal' in result ? result.response : result;
  if (found.cors) Object.assign(headers, crossOriginHeaders(found.cors, instance.rules));
  return result;
}

/** Decision 2: HEAD is GET, except where GET changes state. */
function endpointFor({ GET, POST, head }: Route, method: string): Endpoint | undefined {
  if (method === 'HEAD') return head ? GET : undefined;
  return method === 'GET' ? GET : method === 'POST' ? POST : undefined;
}

/** Decisions 1 and 2: 405 with what is allowed; OPTIONS is told the same, and more where pages of other origins may ask. */
function otherMethod(instance: ProviderInstance, http: MockRequest, route: Route): ProviderResponse | Refused {
  const allow = [route.GET && 'GET', route.head && 'HEAD', route.POST && 'POST'];
  const methods = allow.filter(Boolean).join(', ');
  if (http.method === 'OPTIONS') {
    return emptyResponse(204, { Allow: methods, ...preflightHeaders(route.cors, instance.rules, methods) });
  }
  const refusal = refuse('method-allowed', 405, 'Method Not Allowed');
  if (isAPI(http.path)) return answerNothing(instance, http, { refusal, headers: { Allow: methods } });
  return { refusal, response: emptyResponse(405, { Allow: methods }) };
}

function nothingThere(instance: ProviderInstance, http: MockRequest): Refused {
  const refusal = refuse('path-known', 404, 'Not Found');
  if (isAPI(http.path)) return answerNothing(instance, http, { refusal });
  return { refusal, response: jsonResponse(404, { error: 'not_found', error_description: 'Not Found' }) };
}

function badBody(fault: 'too large' | 'not text'): Refused {
  const status = fault === 'too large' ? 413 : 400;
  const rule = fault === 'too large' ? 'body-size-limited' : 'body-is-text';
  const refusal = refuse(rule, status, `The body is ${fault}`);
  const body = { error: 'invalid_request', error_description: refusal.description };
  const headers = { 'Cache-Control': 'no-store', ...(status === 413 && { Connection: 'close' }) };
  return { refusal, response: jsonResponse(status, body, headers) };
}

function refuse(rule: RuleID, status: number, description: string): Refusal {
  return new Refusal(rule, String(status), description, { status });
}
