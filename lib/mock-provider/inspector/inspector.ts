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
  type ProviderResponse,
  type StaticDocument,
  staticDocument,
} from '../http/response.js';
import { LOGO_FILE } from '../pages/logo.js';
import type { AdminHandler } from '../server/served-instance.js';
import style from './browser/inspector.css?text';
import script from './browser/inspector.js?text';
import { inspectorPage } from './page.js';
import { INSPECTOR, isInspectorPage } from './paths.js';
import { SHOW_VALUE } from './show-value.js';
import { createInspectorView } from './view.js';

/** The operations of the page's buttons. They work without the control API being enabled. */
const BUTTON_OPERATIONS = [MOVE_CLOCK, QUEUE_FAULT, REMOVE_FAULTS, RESET, SHOW_VALUE];
const NO_STORE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const FILE_HEADERS = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };

const FILES: ReadonlyMap<string, StaticDocument> = new Map([
  [INSPECTOR.logo, staticDocument(LOGO_FILE, { 'Content-Type': 'image/svg+xml', ...FILE_HEADERS })],
  [INSPECTOR.style, staticDocument(style, { 'Content-Type': 'text/css; charset=utf-8', ...FILE_HEADERS })],
  [INSPECTOR.script, staticDocument(script, { 'Content-Type': 'text/javascript; charset=utf-8', ...FILE_HEADERS })],
]);

/** Creates the inspector: its page, its files, its state and the operations of its buttons, for browsers on this machine. */
export function createInspector(provider: ControlledProvider, actions: ControlActions): Pick<AdminHandler, 'respond'> {
  const { issuer } = provider;
  const token = randomToken();
  const tokenDigest = digest(token);
  const run = digest(token).slice(0, 12);
  const view = createInspectorView(provider);

  function state(http: MockRequest): StaticDocument {
    const body = JSON.stringify({ run, ...view(http.query.get('open') ?? '') });
    return staticDocument(body, { 'Content-Type': 'application/json', ...NO_STORE });
  }

  function read(http: MockRequest): ProviderResponse | undefined {
    if (http.method !== 'GET' && http.method !== 'HEAD') return emptyResponse(405, { Allow: 'GET, HEAD' });
    requireLocalHost(issuer, http);
    // Links on other sites may open the page: only a browser on this machine can read it.
    if (isInspectorPage(http.path)) return inspectorPage(token, run);
    requireLocalRequest(issuer, http);
    const file = http.path === INSPECTOR.state ? state(http) : FILES.get(http.path);
    return file && documentResponse(file, http.ifNoneMatch);
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
