import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { ProviderInstance } from '../provider-instance.js';
import { FAILURE_FAULTS } from './failure-faults.js';
import type { FailureFaultName, ResponseFaultName } from './fault-names.js';
import type { FaultContext } from './fault-queue.js';
import { RESPONSE_FAULTS } from './response-faults.js';

/** @returns which exchange a request is. */
export function faultContextOf(http: MockRequest, client: string | undefined): FaultContext {
  return { http, endpoint: http.path, client, grantType: http.isForm ? http.form.get('grant_type') : undefined };
}

/** @returns what is answered in place of what the endpoint does, when a fault waits for it. */
export function applyFailureFault(
  { faults, clock }: ProviderInstance,
  context: FaultContext,
): ProviderResponse | undefined {
  const { http } = context;
  // Where a fault waits to spoil a body, there must be one.
  http.ignoreETag = faults.has(
    'response',
    context,
    (name) => RESPONSE_FAULTS[name as ResponseFaultName].fits !== undefined,
  );
  const matched = faults.take('failure', context);
  return matched && FAILURE_FAULTS[matched.name as FailureFaultName].apply(matched.options, clock.now(), http);
}

/** @returns the answer, spoilt when a fault waits for it. */
export function applyResponseFault(
  { faults }: ProviderInstance,
  meant: ProviderResponse,
  context: FaultContext,
): ProviderResponse {
  const answer = context.http.transformResponse?.(meant) ?? meant;
  // What never arrives cannot be spoilt: the next one is.
  if (answer.connectionFault !== undefined) return answer;
  const matched = faults.take('response', context, (name) => {
    const { fits } = RESPONSE_FAULTS[name as ResponseFaultName];
    return fits === undefined || fits(answer);
  });
  return matched ? RESPONSE_FAULTS[matched.name as ResponseFaultName].apply(answer, matched.options) : answer;
}
