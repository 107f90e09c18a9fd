import type { Cookies } from '../http/cookies.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Endpoint } from '../protocol/endpoint.js';
import { clientOfRequest, signedInUsername } from '../recording/parties.js';
import type { ProblemLog } from '../recording/problems.js';
import type { Recorder } from '../recording/recorder.js';
import type { ResourceAPI } from '../resource-api/resource-api.js';
import type { GrantStore } from '../state/grants.js';
import type { SessionStore } from '../state/sessions.js';
import { ExchangeFaults, type FaultStores } from './exchange-faults.js';
import { responseOf } from './router.js';

interface Observers extends FaultStores {
  readonly problems: ProblemLog;
  readonly recorder: Recorder;
  readonly grants: Pick<GrantStore, 'byAccessToken'>;
  readonly sessions: Pick<SessionStore, 'get'>;
  readonly cookies: Cookies;
}

/** @returns the function that handles a request: it routes it, applies queued faults, and records the exchange. */
export function createExchangeHandler(
  route: Endpoint,
  { rateHeaders }: Pick<ResourceAPI, 'rateHeaders'>,
  observers: Observers,
): (http: MockRequest) => Promise<ProviderResponse> {
  const { problems, recorder, grants } = observers;
  return async function handleExchange(http) {
    const clientID = clientOfRequest(http, grants);
    const faults = new ExchangeFaults(observers, http, clientID);
    const failure = faults.failure(rateHeaders);
    const result = failure ?? (await route(faults.request));
    const originalResponse = failure ?? (await faults.changeContent(responseOf(result)));
    const clinician = signedInUsername(http, originalResponse, observers);
    const response = faults.changeResponse(originalResponse);
    const refusal = 'refusal' in result ? result.refusal : undefined;
    const fault = faults.applied;
    const recorded = recorder.add({ http, response, originalResponse, clientID, clinician, refusal, fault });
    if (refusal) problems.add(recorded, refusal);
    return response;
  };
}
