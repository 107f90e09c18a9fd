import type { ProviderInstance } from '../provider-instance.js';
import type { TokenResponseFaultName } from './fault-names.js';
import type { FaultContext } from './fault-queue.js';
import { TOKEN_RESPONSE_FAULTS } from './token-response-faults.js';

type Body = Record<string, unknown>;

/** @returns the body of a token response, spoilt when a fault waits for it. */
export function applyTokenResponseFault({ faults }: ProviderInstance, body: Body, context: FaultContext): Body {
  const matched = faults.take(
    'tokenResponse',
    context,
    (name) => TOKEN_RESPONSE_FAULTS[name as TokenResponseFaultName].needs in body,
  );
  return matched ? TOKEN_RESPONSE_FAULTS[matched.name as TokenResponseFaultName].apply(body) : body;
}
