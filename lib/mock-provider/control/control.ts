import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import { closestName } from '../options/closest-name.js';
import { type Schema, validate } from '../options/schema.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { AdminHandler, InstanceActions } from '../server/admin-handler.js';
import { badRequest, ControlError } from './control-error.js';
import { requireLocalRequest } from './guards.js';
import { EVERY_OPERATION } from './openapi.js';
import { CONTROL_PREFIX, type Operation } from './operation.js';

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** The control API, `/_mock/`: what a test in another language does with a provider, as JSON. */
export function createControl(instance: ProviderInstance, handle: InstanceActions): AdminHandler {
  async function act(http: MockRequest): Promise<ProviderResponse> {
    requireLocalRequest(instance.issuer, http);
    return runOperation(findOperation(http), instance, http, handle);
  }

  return {
    has: (path) => path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`),
    async answer(http) {
      try {
        return await act(http);
      } catch (error) {
        return errorAnswer(error);
      }
    },
  };
}

/** Does what is asked, once it has been looked at. Throws a sentence for what is not right. */
export async function runOperation(
  operation: Operation,
  instance: ProviderInstance,
  http: MockRequest,
  handle: InstanceActions,
): Promise<ProviderResponse> {
  const asked = { query: readQuery(operation, http), body: readJSON(operation, http) };
  const result = await operation.act(instance, asked, handle);
  const { status = 200, answer } = operation;
  return answer === 'text' ? textAnswer(String(result)) : jsonResponse(status, result, HEADERS);
}

/** What an operation throws is a sentence of the provider's about what it was given; nothing else is told. */
export function errorAnswer(error: unknown): ProviderResponse {
  const { status, error: code, message } = error instanceof ControlError ? error : badRequest((error as Error).message);
  return jsonResponse(status, { error: code, message }, HEADERS);
}

function findOperation({ method, path }: MockRequest): Operation {
  const below = path.slice(CONTROL_PREFIX.length) || '/';
  const here = EVERY_OPERATION.filter((operation) => operation.path === below);
  const found = here.find((operation) => operation.method === method);
  if (found) return found;
  const wanted = here.map((operation) => operation.method).join(', ');
  if (here.length > 0) throw new ControlError(405, 'method_not_allowed', `${path} knows ${wanted} alone.`);
  const paths = EVERY_OPERATION.map((operation) => CONTROL_PREFIX + operation.path);
  const meant = closestName(path, paths);
  const fix = meant ? `Did you mean ${meant}?` : `${CONTROL_PREFIX}/ lists what there is.`;
  throw new ControlError(404, 'not_found', `There is nothing at ${JSON.stringify(path.slice(0, 100))}. ${fix}`);
}

function readQuery({ query = {}, method, path }: Operation, http: MockRequest): Record<string, string> {
  const given = Object.fromEntries(http.query.entries());
  const schema: Schema = { type: 'object', properties: query, additionalProperties: false };
  validate(schema, given, `The query of ${method} ${CONTROL_PREFIX}${path}`);
  return given;
}

/** JSON alone, and said to be JSON: a form of another site can send neither. */
function readJSON({ body: schema, method, path }: Operation, http: MockRequest): unknown {
  if (schema === undefined) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(http.headers['content-type'] ?? '')) {
    throw new ControlError(415, 'unsupported_media_type', 'Send JSON, with Content-Type: application/json.');
  }
  if (http.bodyFault !== undefined) {
    const status = http.bodyFault === 'too large' ? 413 : 400;
    throw new ControlError(status, status === 413 ? 'too_large' : 'bad_request', `The body is ${http.bodyFault}.`);
  }
  const body = parse(http.body === '' ? '{}' : http.body);
  validate(schema, body, `The body of ${method} ${CONTROL_PREFIX}${path}`);
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not JSON.');
  }
}

function textAnswer(body: string): ProviderResponse {
  return { status: 200, headers: { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }, body };
}
