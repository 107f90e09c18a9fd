import { PATHS } from '../http/paths.js';
import { decodeJWTPart, signIDToken } from '../protocol/id-token.js';
import type { KeyRing, SigningKey } from '../state/keys.js';
import type { FaultDefinition, FaultOptions, KindDefaults } from './fault.js';

/** The parts of an ID Token, which is signed again after a fault changed them. */
export interface IDTokenDraft {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  key: SigningKey;
  /** Changes the signed token. */
  finish?: (token: string) => string;
}

export interface IDTokenFaultContext {
  readonly keys: KeyRing;
  readonly options: FaultOptions;
  /** The headers that the response gets. */
  readonly headers: Record<string, string>;
}

/** Changes a draft; `needs`: the claim without which the fault does not apply. */
export interface IDTokenFault extends FaultDefinition<(draft: IDTokenDraft, context: IDTokenFaultContext) => void> {
  readonly needs?: string;
}

export const ID_TOKEN_DEFAULTS: KindDefaults = { endpoint: undefined, endpoints: [PATHS.token, PATHS.authorize] };

/** @returns the parts of an ID Token that this provider signed. */
export function draftOf(token: string, keys: KeyRing): IDTokenDraft {
  const [header = '', claims = ''] = token.split('.', 2);
  const draft = { header: decodeJWTPart(header), claims: decodeJWTPart(claims) };
  return { ...draft, key: keys.byKid(String(draft.header.kid)) ?? keys.signing };
}

/** @returns the ID Token with the fault, and the headers that the response gets. */
export async function applyIDTokenFault(
  fault: IDTokenFault,
  draft: IDTokenDraft,
  context: Omit<IDTokenFaultContext, 'headers'>,
): Promise<{ token: string; headers: Record<string, string> }> {
  const headers: Record<string, string> = {};
  fault.apply(draft, { ...context, headers });
  const token = await signIDToken(draft);
  return { token: draft.finish ? draft.finish(token) : token, headers };
}
