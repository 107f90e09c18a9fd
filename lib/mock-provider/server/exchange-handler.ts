import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { linkToInspector } from '../pages/page.js';
import type { Endpoint } from '../protocol/endpoint.js';
import type { ProviderInstance } from '../provider-instance.js';
import { clientOfRequest, signedInUsername } from '../recording/exchange.js';
import type { ResourceAPI } from '../resources/resources.js';
import type { Grant, GrantStore } from '../state/grants.js';
import { FaultApplier } from './fault-applier.js';
import { responseOf } from './router.js';

/** @returns the function that handles a request: it routes it, applies queued faults, and records the exchange. */
export function createExchangeHandler(
  route: Endpoint,
  resourceAPI: ResourceAPI,
  instance: ProviderInstance,
): (http: MockRequest) => Promise<ProviderResponse> {
  const { problems, recorder, grants, inspectorURL, mayInspect } = instance;
  return async function handleExchange(http) {
    const grant = grantOfRequest(http, grants);
    const clientID = clientOfRequest(http, grant);
    const faults = new FaultApplier(instance, http, clientID);
    const failure = faults.failure(() => resourceAPI.rateHeaders(grant));
    if (faults.needsBody) http.ifNoneMatch = undefined;
    const result = failure ?? (await route(http, grant));
    const routed = responseOf(result);
    const originalResponse = failure || instance.faults.isEmpty ? routed : await faults.changeContent(routed);
    const clinician = signedInUsername(http, originalResponse, instance);
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
function grantOfRequest(http: MockRequest, grants: GrantStore): Grant | undefined {
  const { bearer } = http;
  if (bearer === 'malformed') return undefined;
  const inForm = http.path === PATHS.userinfo && http.isForm ? http.form.get('access_token') : undefined;
  const token = bearer?.token ?? inForm;
  return token === undefined ? undefined : grants.byAccessToken(token);
}
