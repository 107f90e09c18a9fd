import { closestName } from '../../errors/closest-name.js';
import { isObject, type Schema } from '../../schema.js';
import { digest } from '../http/digest.js';
import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import { validate } from '../options/validate.js';
import type { MockProvider } from '../provider.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { AdminRespond } from '../server/served-instance.js';
import { badRequest, ControlError } from './control-error.js';
import { requireLocalRequest, requireToken } from './guards.js';
import { CONTROL_PREFIX, type Operation } from './operation.js';
import { OPERATIONS } from './operations.js';

/** A message may have a value of the request, such as the URL of a sign-in. */
const MAX_MESSAGE_LENGTH = 1_000;
const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/**
 * Creates the control API at `/_mock/`: JSON operations on a provider for tests in other languages. With a token it allows
 * programs on other machines, too.
 */
export function createControl(instance: ProviderInstance, provider: MockProvider): AdminRespond {
  const { control } = instance.options;
  const tokenDigest = typeof control === 'object' ? digest(control.token) : undefined;
  return async function respond(http) {
    try {
      if (tokenDigest === undefined) requireLocalRequest(instance.issuer, http);
      else requireToken(instance.issuer, http, tokenDigest);
      const operation = findOperation(OPERATIONS, http, CONTROL_PREFIX);
      return await runOperation(operation, http, instance, provider);
    } catch (error) {
      return errorResponse(error);
    }
  };
}

/** Validates a request and runs its operation. Throws for an invalid request, and when the operation throws. */
export async function runOperation(
  operation: Operation,
  http: MockRequest,
  instance: ProviderInstance,
  provider: MockProvider,
): Promise<ProviderResponse> {
  const { status = 200 } = operation;
  const input = { query: readQuery(operation, http), body: readJSON(operation, http) };
  const result = await operation.run(provider, input, instance);
  if (typeof result === 'object') return jsonResponse(status, result, HEADERS);
  return { status, headers: { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }, body: result };
}

/** Converts an error of an operation to a response. Its message is sent, because it is written for callers. */
export function errorResponse(error: unknown): ProviderResponse {
  const problem = error instanceof ControlError ? error : badRequest(textOf(error as Error));
  const { status, error: code, message, headers } = problem;
  return jsonResponse(
    status,
    { error: code, message: message.slice(0, MAX_MESSAGE_LENGTH) },
    { ...HEADERS, ...headers },
  );
}

/** @returns the message with that of the cause: a fault that closes the connection has its name there. */
function textOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** @returns the operation at a path below a prefix. Throws a {@link ControlError}. */
export function findOperation(
  operations: readonly Operation[],
  { method, path }: MockRequest,
  prefix: string,
): Operation {
  // `controlURL` ends in a slash, so a caller may send two.
  const below = path.slice(prefix.length).replace(/^\/*/, '/');
  const candidates = operations.filter((one) => one.path === below);
  const found = candidates.find((operation) => operation.method === method);
  if (found) return found;
  if (candidates.length > 0) {
    const allowed = candidates.map((operation) => operation.method).join(', ');
    throw new ControlError(405, 'method_not_allowed', `${path} allows only ${allowed}.`, { Allow: allowed });
  }
  const paths = [...new Set(operations.map((operation) => prefix + operation.path))];
  const closest = closestName(path, paths);
  const fix = closest ? `Did you mean ${closest}?` : `The operations are: ${paths.join(', ')}.`;
  throw new ControlError(404, 'not_found', `There is no operation at ${JSON.stringify(path.slice(0, 100))}. ${fix}`);
}

function readQuery({ query = {}, method, path }: Operation, http: MockRequest): Record<string, string> {
  const [repeated] = http.query.repeated;
  if (repeated !== undefined) throw badRequest(`${JSON.stringify(repeated.slice(0, 100))} was sent more than once.`);
  if (http.query.malformed) throw badRequest('The query is not well-formed: send percent-encoded UTF-8 without NUL.');
  const parameters = Object.fromEntries(http.query.values);
  const schema: Schema = { type: 'an object', isValid: isObject, members: query };
  validate(schema, parameters, `The query of ${method} ${CONTROL_PREFIX}${path}`, [], 'parameter');
  return parameters;
}

/** Requires the JSON content type, which a form on another site cannot send, unless the body is empty and has no type. */
function readJSON({ body: schema, method, path }: Operation, http: MockRequest): unknown {
  if (schema === undefined) return undefined;
  const type = http.headers['content-type'] ?? (http.body === '' ? 'application/json' : '');
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ControlError(415, 'unsupported_media_type', 'Send JSON, with Content-Type: application/json.');
  }
  if (http.bodyError === 'too_large') throw new ControlError(413, 'too_large', 'The body is too large.');
  if (http.bodyError === 'not_text') throw badRequest('The body is not text.');
  const body = parse(http.body === '' ? '{}' : http.body);
  validate(schema, body, `The body of ${method} ${CONTROL_PREFIX}${path}`, [], 'member');
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not JSON.');
  }
}
