import { oneOf, text } from '../../schema.js';
import { errorResponse, findOperation, runOperation } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import { requireLocalHost, requireLocalRequest } from '../control/guards.js';
import { type Operation, operation } from '../control/operation.js';
import { OPERATIONS } from '../control/operations.js';
import { digest, matchesDigest } from '../http/digest.js';
import { isLoopbackAddress } from '../http/local-sender.js';
import { randomToken } from '../http/random.js';
import { LOCAL_PEER, type MockRequest } from '../http/request.js';
import { conditionalResponse, emptyResponse, type ProviderResponse, representation } from '../http/response.js';
import { count, object } from '../options/schema.js';
import { LOGO } from '../pages/logo.js';
import type { MockProvider } from '../provider.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { AdminRespond } from '../server/served-instance.js';
import style from './browser/inspector.css?text';
import script from './browser/inspector.js?text';
import { readValue, VALUE_PARTS, type ValuePart } from './exchange-values.js';
import { inspectorPage } from './page.js';
import { INSPECTOR, isInspectorPage } from './paths.js';
import { inspectorView } from './view.js';

/** Sends one masked value of a recent request, such as a token. Passwords are never sent. */
const SHOW_VALUE: Operation = operation<{ request: number; part: ValuePart; name: string }>({
  method: 'POST',
  path: '/value',
  body: object({ request: count(1), part: oneOf(...VALUE_PARTS), name: text }, {}),
  run(_provider, { body: { request, part, name } }, { recorder }) {
    const exchange = recorder.unmasked(request);
    const value = exchange && readValue(exchange, part, name);
    if (value !== undefined) return { value };
    throw new ControlError(
      404,
      'not_found',
      exchange === undefined
        ? `The values of request ${request} are not stored: only those of the newest requests are, if no other machine reaches the provider.`
        : `Request ${request} has no value of this name that can be shown.`,
    );
  },
});

/** The operations of the page's buttons. They work without the control API being enabled. */
const BUTTON_OPERATIONS = [
  ...OPERATIONS.filter(({ path }) => path === '/clock' || path === '/faults' || path === '/reset'),
  SHOW_VALUE,
];
/** The type and the text of each file. */
const FILES: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  [INSPECTOR.logo, ['image/svg+xml', LOGO.text]],
  [INSPECTOR.style, ['text/css; charset=utf-8', style]],
  [INSPECTOR.script, ['text/javascript; charset=utf-8', script]],
]);

/** Creates the inspector: its page, its files, its state and the operations of its buttons, for browsers on this machine. */
export function createInspector(instance: ProviderInstance, provider: MockProvider): AdminRespond {
  const { issuer } = instance;
  const token = randomToken();
  const tokenDigest = digest(token);
  const run = digest(token).slice(0, 12);

  function state(http: MockRequest): readonly [type: string, text: string] {
    return ['application/json', JSON.stringify({ run, ...inspectorView(instance, http.query.get('open') ?? '') })];
  }

  function read(http: MockRequest): ProviderResponse | undefined {
    if (http.method !== 'GET' && http.method !== 'HEAD') return emptyResponse(405, { Allow: 'GET, HEAD' });
    requireLocalHost(issuer, http);
    // Links on other sites may open the page: only a browser on this machine can read it.
    if (isInspectorPage(http.path)) return inspectorPage(token, run);
    requireLocalRequest(issuer, http);
    const file = http.path === INSPECTOR.state ? state(http) : FILES.get(http.path);
    if (file === undefined) return undefined;
    const [type, text] = file;
    const caching = http.path === INSPECTOR.state ? 'no-store' : 'no-cache';
    const headers = { 'Content-Type': type, 'Cache-Control': caching, 'X-Content-Type-Options': 'nosniff' };
    return conditionalResponse(representation(text), headers, http.ifNoneMatch);
  }

  async function operate(http: MockRequest): Promise<ProviderResponse> {
    requireLocalRequest(issuer, http);
    const operation = findOperation(BUTTON_OPERATIONS, http, INSPECTOR.operations);
    const sentToken = http.headers['x-inspector-token'];
    if (typeof sentToken !== 'string' || !matchesDigest(sentToken, tokenDigest)) {
      throw new ControlError(403, 'forbidden', 'The provider was restarted after this page was loaded: reload it.');
    }
    return runOperation(operation, http, instance, provider);
  }

  return async function respond(http) {
    // Other machines get the 404 response of the service.
    if (http.peer !== LOCAL_PEER && !isLoopbackAddress(http.peer)) return undefined;
    try {
      return http.path.startsWith(INSPECTOR.operations) ? await operate(http) : read(http);
    } catch (error) {
      return errorResponse(error);
    }
  };
}
