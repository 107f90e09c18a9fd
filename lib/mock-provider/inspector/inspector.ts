import { errorResponse, findOperation, runOperation } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import { requireLocalHost, requireLocalRequest } from '../control/guards.js';
import type { ControlActions, ControlledProvider } from '../control/operation.js';
import { MOVE_CLOCK, QUEUE_FAULT, REMOVE_FAULTS, RESET } from '../control/operations/simulation.js';
import { digest, matchesDigest } from '../http/digest.js';
import { isLoopbackAddress } from '../http/local-sender.js';
import { randomToken } from '../http/random.js';
import { LOCAL_PEER, type MockRequest } from '../http/request.js';
import {
  documentResponse,
  emptyResponse,
  jsonResponse,
  matchesETag,
  type ProviderResponse,
  staticDocument,
} from '../http/response.js';
import { LOGO_FILE } from '../pages/logo.js';
import type { AdminHandler } from '../server/admin-handler.js';
import style from './browser/inspector.css?text';
import script from './browser/inspector.js?text';
import { inspectorPage } from './page.js';
import { INSPECTOR, isInspectorPage } from './paths.js';
import { SHOW_VALUE } from './show-value.js';
import { createInspectorView } from './view.js';

/** The operations of the page's buttons. They work without the control API being enabled. */
const BUTTON_OPERATIONS = [MOVE_CLOCK, QUEUE_FAULT, REMOVE_FAULTS, RESET, SHOW_VALUE];
const NO_STORE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

type Respond = (http: MockRequest) => ProviderResponse;

function file(type: string, text: string): Respond {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };
  const document = staticDocument(text, headers);
  return (http) => documentResponse(document, http.ifNoneMatch);
}

const FILES: ReadonlyMap<string, Respond> = new Map<string, Respond>([
  [INSPECTOR.logo, file('image/svg+xml', LOGO_FILE)],
  [INSPECTOR.style, file('text/css; charset=utf-8', style)],
  [INSPECTOR.script, file('text/javascript; charset=utf-8', script)],
]);

/** Creates the inspector: its page, its files, its state and the operations of its buttons, for browsers on this machine. */
export function createInspector(provider: ControlledProvider, actions: ControlActions): Pick<AdminHandler, 'respond'> {
  const { issuer } = provider;
  const token = randomToken();
  const tokenDigest = digest(token);
  const run = digest(token).slice(0, 12);
  const view = createInspectorView(provider);

  function read(http: MockRequest): ProviderResponse | undefined {
    if (http.method !== 'GET' && http.method !== 'HEAD') return emptyResponse(405, { Allow: 'GET, HEAD' });
    requireLocalHost(issuer, http);
    // Links on other sites may open the page: only a browser on this machine can read it.
    if (isInspectorPage(http.path)) return inspectorPage(token, run);
    requireLocalRequest(issuer, http);
    if (http.path === INSPECTOR.state)
      return stateResponse({ run, ...view(http.query.get('open') ?? '') }, http.ifNoneMatch);
    return FILES.get(http.path)?.(http);
  }

  async function operate(http: MockRequest): Promise<ProviderResponse> {
    requireLocalRequest(issuer, http);
    const operation = findOperation(BUTTON_OPERATIONS, http, INSPECTOR.operations);
    const sentToken = http.headers['x-inspector-token'];
    if (typeof sentToken !== 'string' || !matchesDigest(sentToken, tokenDigest)) {
      throw new ControlError(403, 'forbidden', 'The provider was restarted after this page was loaded: reload it.');
    }
    return runOperation(operation, http, provider, actions);
  }

  return {
    async respond(http) {
      // Other machines get the 404 response of the service.
      if (http.peer !== LOCAL_PEER && !isLoopbackAddress(http.peer)) return undefined;
      try {
        return http.path.startsWith(INSPECTOR.operations) ? await operate(http) : read(http);
      } catch (error) {
        return errorResponse(error);
      }
    },
  };
}

function stateResponse(state: object, ifNoneMatch: string | undefined): ProviderResponse {
  const body = JSON.stringify(state);
  const headers = { ...NO_STORE, ETag: `"${digest(body)}"` };
  if (matchesETag(ifNoneMatch, headers.ETag)) return emptyResponse(304, headers);
  return { ...jsonResponse(200, undefined, headers), body };
}
