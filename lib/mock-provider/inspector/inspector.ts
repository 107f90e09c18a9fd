import { errorAnswer, runOperation } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import { isLoopbackAddress, refuseOtherHosts, requireLocalRequest } from '../control/guards.js';
import { OPERATIONS } from '../control/operations/operations.js';
import { knownFaults } from '../control/snapshot.js';
import { digest, matchesDigest } from '../http/digest.js';
import { LOCAL_PEER, type MockRequest } from '../http/request.js';
import {
  documentResponse,
  emptyResponse,
  jsonResponse,
  matchesETag,
  type ProviderResponse,
  staticDocument,
} from '../http/response.js';
import { MARK_FILE } from '../pages/logo.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { AdminHandler, InstanceActions } from '../server/admin-handler.js';
import { randomToken } from '../state/random.js';
import style from './browser/inspector.css?text';
import script from './browser/inspector.js?text';
import { inspectorPage } from './page.js';
import { INSPECTOR } from './paths.js';
import { inspectorView } from './view.js';

/** What the page's buttons do: operations of the control API, open to this page alone. */
const BUTTONS: ReadonlySet<string> = new Set([
  ...['moveClock', 'queueFault', 'clearFaults', 'updateClinician', 'signOutEverywhere', 'revokeGrant'],
  ...['changeClient', 'rotateKeys', 'reset'],
]);
const NO_STORE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

function file(type: string, text: string): (http: MockRequest) => ProviderResponse {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };
  const document = staticDocument(text, headers);
  return (http) => documentResponse(document, http.headers['if-none-match']);
}

const FILES: ReadonlyMap<string, (http: MockRequest) => ProviderResponse> = new Map<
  string,
  (http: MockRequest) => ProviderResponse
>([
  [INSPECTOR.mark, file('image/svg+xml', MARK_FILE)],
  [INSPECTOR.style, file('text/css; charset=utf-8', style)],
  [INSPECTOR.faults, file('application/json', JSON.stringify(knownFaults()))],
  [INSPECTOR.script, file('text/javascript; charset=utf-8', script)],
]);

/** The page that shows what happens at a running provider, for people on the same machine. */
export function createInspector(instance: ProviderInstance, handle: InstanceActions): AdminHandler {
  const token = randomToken();
  const tokenDigest = digest(token);
  const run = digest(token).slice(0, 12);

  function read(http: MockRequest): ProviderResponse | undefined {
    if (http.method !== 'GET' && http.method !== 'HEAD') return emptyResponse(405, { Allow: 'GET, HEAD' });
    // A link on another site may lead here: the page is read by nobody but who opened it.
    refuseOtherHosts(instance, http);
    if (http.path === INSPECTOR.root || http.path === INSPECTOR.page) return inspectorPage(token, run);
    requireLocalRequest(instance, http);
    if (http.path === INSPECTOR.state) return freshState(instance, http, run);
    return FILES.get(http.path)?.(http);
  }

  async function act(http: MockRequest): Promise<ProviderResponse> {
    requireLocalRequest(instance, http);
    const id = http.path.slice(INSPECTOR.do.length);
    const operation = BUTTONS.has(id) ? OPERATIONS.find((one) => one.id === id) : undefined;
    if (operation === undefined) throw new ControlError(404, 'not_found', 'There is no such button.');
    if (http.method !== 'POST') throw new ControlError(405, 'method_not_allowed', 'Buttons are pressed by POST.');
    const shown = http.headers['x-inspector-token'];
    if (typeof shown !== 'string' || !matchesDigest(shown, tokenDigest)) {
      throw new ControlError(403, 'forbidden', 'This page is of an earlier start of the provider: reload it.');
    }
    return runOperation(operation, instance, http, handle);
  }

  const ours = (path: string) => path === INSPECTOR.root || path === INSPECTOR.page || FILES.has(path);
  return {
    has: (path) => ours(path) || path === INSPECTOR.state || path.startsWith(INSPECTOR.do),
    async answer(http) {
      // To those elsewhere there is nothing here, as at the service itself.
      if (http.peer !== LOCAL_PEER && !isLoopbackAddress(http.peer)) return undefined;
      try {
        return http.path.startsWith(INSPECTOR.do) ? await act(http) : read(http);
      } catch (error) {
        return errorAnswer(error);
      }
    },
  };
}

function freshState(instance: ProviderInstance, { headers }: MockRequest, run: string): ProviderResponse {
  const body = JSON.stringify({ run, ...inspectorView(instance) });
  const etag = `"${digest(body)}"`;
  if (matchesETag(headers['if-none-match'], etag)) return emptyResponse(304, { ...NO_STORE, ETag: etag });
  const answer = jsonResponse(200, undefined, { ...NO_STORE, ETag: etag });
  return { ...answer, body };
}
