import type { IDTokenDraft } from '../protocol/id-token.js';
import type { ProviderInstance } from '../provider-instance.js';
import { CLAIM_FAULTS } from './claim-faults.js';
import type { FaultName } from './fault-names.js';
import type { FaultContext } from './fault-queue.js';
import type { IDTokenFault } from './id-token-fault.js';
import { SIGNATURE_FAULTS } from './signature-faults.js';

const ID_TOKEN_FAULTS: Readonly<Partial<Record<FaultName, IDTokenFault>>> = { ...SIGNATURE_FAULTS, ...CLAIM_FAULTS };

/** Spoils an ID Token that is about to be signed, when a fault waits for it. @returns headers for the answer that carries it */
export function applyIDTokenFault(
  { faults, keys }: ProviderInstance,
  draft: IDTokenDraft,
  context: FaultContext,
): Record<string, string> {
  const answerHeaders: Record<string, string> = {};
  const matched = faults.take('idToken', context, (name) => {
    const needs = ID_TOKEN_FAULTS[name]?.needs;
    return needs === undefined || needs in draft.claims;
  });
  if (matched) ID_TOKEN_FAULTS[matched.name]?.apply(draft, { keys, options: matched.options, answerHeaders });
  return answerHeaders;
}
