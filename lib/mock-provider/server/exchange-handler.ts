import type { Cookies } from '../http/cookies.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { linkToInspector } from '../pages/page.js';
import type { Endpoint } from '../protocol/endpoint.js';
import { clientOfRequest, signedInUsername } from '../recording/exchange.js';
import type { ProblemLog } from '../recording/problems.js';
import type { Recorder } from '../recording/recorder.js';
import type { ResourceAPI } from '../resources/resources.js';
import type { Grant, GrantStore } from '../state/grants.js';
import type { SessionStore } from '../state/sessions.js';
import { FaultApplier, type FaultStores } from './fault-applier.js';
import { responseOf } from './router.js';

interface Observers extends FaultStores {
  readonly problems: ProblemLog;
  readonly recorder: Recorder;
  readonly grants: Pick<GrantStore, 'byAccessToken'>;
  readonly sessions: Pick<SessionStore, 'get'>;
  readonly cookies: Cookies;
  readonly inspectorURL: string | undefined;
  readonly mayInspect: (http: MockRequest) => boolean;
}

/** @returns the function that handles a request: it routes it, applies queued faults, and records the exchange. */
export function createExchangeHandler(
  route: Endpoint,
  resourceAPI: Pick<ResourceAPI, 'rateHeaders'>,
  observers: Observers,
): (http: MockRequest) => Promise<ProviderResponse> {
  const { problems, recorder, grants, inspectorURL, mayInspect } = observers;
  return async function handleExchange(http) {
    const grant = grantOfRequest(http, grants);
    const clientID = clientOfRequest(http, grant);
    const faults = new FaultApplier(observers, http, clientID);
    const failure = faults.failure(() => resourceAPI.rateHeaders(grant));
    const result = failure ?? (await route(faults.request, grant));
    const routed = responseOf(result);
    const originalResponse = failure || observers.faults.isEmpty ? routed : await faults.changeContent(routed);
    const clinician = signedInUsername(http, originalResponse, observers);
    const response = faults.changeResponse(originalResponse);
    const refusal = 'refusal' in result ? result.refusal : undefined;
    const fault = faults.applied;
    const recorded = recorder.add({ http, response, originalResponse, clientID, clinician, refusal, fault });
    if (refusal) problems.add(recorded, refusal);
    if (response.connectionFault === 'reset') return { ...response, fault };
    if (inspectorURL === undefined || !mayInspect(http)) return response;
    return linkToInspector(response, `${inspectorURL}#request-${recorded.number}`);
  };
}

/** @returns the grant of the access token in a request, if it is valid (RFC 6750 section 2; a form only for userinfo). */
function grantOfRequest(http: MockRequest, grants: Pick<GrantStore, 'byAccessToken'>): Grant | undefined {
  const { bearer } = http;
  if (bearer === 'malformed') return undefined;
  const inForm = http.path === PATHS.userinfo && http.isForm ? http.form.get('access_token') : undefined;
  const token = bearer?.token ?? inForm;
  return token === undefined ? undefined : grants.byAccessToken(token);
}
