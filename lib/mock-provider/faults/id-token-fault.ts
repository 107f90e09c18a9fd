import { PATHS } from '../http/paths.js';
import type { IDTokenDraft } from '../protocol/id-token.js';
import type { KeyRing } from '../state/keys.js';
import type { FaultDefinition, FaultOptions, KindDefaults } from './fault.js';

/** What an ID Token is made with, besides its draft. */
export interface IDTokenScene {
  readonly keys: KeyRing;
  readonly options: FaultOptions;
  /** Headers that the answer gets which carries the ID Token. */
  readonly answerHeaders: Record<string, string>;
}

/** Spoils a draft; `needs`: a claim without which there is nothing to spoil, so that the fault waits for an ID Token that has it. */
export interface IDTokenFault extends FaultDefinition<(draft: IDTokenDraft, scene: IDTokenScene) => void> {
  readonly needs?: string;
}

export const ID_TOKEN_DEFAULTS: KindDefaults = { endpoint: undefined, endpoints: [PATHS.token, PATHS.authorize] };
