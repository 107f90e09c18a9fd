import type { House } from '../provider-instance.js';
import type { TokenResponseFaultName } from './fault-names.js';
import type { Occasion } from './fault-queue.js';
import { TOKEN_RESPONSE_FAULTS } from './token-response-faults.js';

type Body = Record<string, unknown>;

/** @returns the body of a token response, spoilt when a fault waits for it. */
export function strikeTokenResponse({ faults }: House, body: Body, occasion: Occasion): Body {
  const struck = faults.strike(
    'tokenResponse',
    occasion,
    (name) => TOKEN_RESPONSE_FAULTS[name as TokenResponseFaultName].needs in body,
  );
  return struck ? TOKEN_RESPONSE_FAULTS[struck.name as TokenResponseFaultName].act(body) : body;
}
