import { occasionOf, strikeAnswer, strikeRequest } from '../faults/apply-response-fault.js';
import { crossOriginHeaders, preflightHeaders } from '../http/cors.js';
import type { MockRequest } from '../http/request.js';
import { type Answer, emptyAnswer, jsonAnswer } from '../http/response.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import { whoAsks } from '../recording/client-of-request.js';
import { whoIsThere } from '../recording/signed-in-username.js';
import { answerNothing, isAPI } from '../resource-api/resource-api.js';
import type { Endpoint, Route } from './route.js';
import { ROUTES } from './routes.js';

/** Answers one request, whatever it came over, and takes it down. */
export async function answer(house: House, http: MockRequest): Promise<Answer> {
  const atDesk = house.desk?.has(http.path) ? await house.desk.answer(http) : undefined;
  if (atDesk) return atDesk;
  const { problems, recorder } = house;
  const clientID = whoAsks(house, http);
  const occasion = occasionOf(http, clientID);
  const down = strikeRequest(house, occasion);
  const result = down ?? (await route(house, http));
  const refusal = 'refusal' in result ? result.refusal : undefined;
  const meant = 'refusal' in result ? result.answer : result;
  const clinician = whoIsThere(house, http, meant);
  const answered = strikeAnswer(house, meant, occasion);
  const fault = http.struck.join(', ') || undefined;
  const recorded = recorder.add({ http, answer: answered, meant, clientID, clinician, refusal, fault });
  if (refusal) problems.add(recorded, refusal);
  return answered;
}

/** @returns true for a path that is the provider's, where it shares a server with a site. */
export function isOurs({ desk }: House, path: string): boolean {
  return ROUTES.has(path) || (path !== '/' && desk?.has(path) === true);
}

async function route(house: House, http: MockRequest): Promise<Answer | Refused> {
  const found = ROUTES.get(http.path);
  if (found === undefined) return nothingThere(house, http);
  if (http.bodyFault !== undefined) return badBody(http.bodyFault);
  const endpoint = endpointFor(found, http.method);
  const result = endpoint === undefined ? otherMethod(house, http, found) : await endpoint(house, http);
  const { headers } = 'refusal' in result ? result.answer : result;
  if (found.cors) Object.assign(headers, crossOriginHeaders(found.cors, house.rules));
  return result;
}

/** Decision 2: HEAD is GET, except where GET changes state. */
function endpointFor({ GET, POST, head }: Route, method: string): Endpoint | undefined {
  if (method === 'HEAD') return head ? GET : undefined;
  return method === 'GET' ? GET : method === 'POST' ? POST : undefined;
}

/** Decisions 1 and 2: 405 with what is allowed; OPTIONS is told the same, and more where pages of other origins may ask. */
function otherMethod(house: House, http: MockRequest, route: Route): Answer | Refused {
  const allow = [route.GET && 'GET', route.head && 'HEAD', route.POST && 'POST'];
  const methods = allow.filter(Boolean).join(', ');
  if (http.method === 'OPTIONS') {
    return emptyAnswer(204, { Allow: methods, ...preflightHeaders(route.cors, house.rules, methods) });
  }
  const refusal = refuse(405, 'Method Not Allowed', 1, 'RFC 9110 section 15.5.6');
  if (isAPI(http.path)) return answerNothing(house, http, { refusal, headers: { Allow: methods } });
  return { refusal, answer: emptyAnswer(405, { Allow: methods }) };
}

function nothingThere(house: House, http: MockRequest): Refused {
  const refusal = refuse(404, 'Not Found', 1, 'RFC 9110 section 15.5.5');
  if (isAPI(http.path)) return answerNothing(house, http, { refusal });
  return { refusal, answer: jsonAnswer(404, { error: 'not_found', error_description: 'Not Found' }) };
}

function badBody(fault: 'too large' | 'not text'): Refused {
  const status = fault === 'too large' ? 413 : 400;
  const refusal = refuse(status, `The body is ${fault}`, 40, 'RFC 9110 section 15.5.14');
  const body = { error: 'invalid_request', error_description: refusal.description };
  const headers = { 'Cache-Control': 'no-store', ...(status === 413 && { Connection: 'close' }) };
  return { refusal, answer: jsonAnswer(status, body, headers) };
}

function refuse(status: number, description: string, decision: number, source: string): Refusal {
  return new Refusal(String(status), description, { decision, source, status });
}
