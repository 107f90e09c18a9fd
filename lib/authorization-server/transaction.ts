import { createHash } from 'node:crypto';
import type { FlowName } from './flows.js';

/** One login attempt, from the authorization request to its answer. Plain JSON: it is sealed into a cookie of its own. */
export interface Transaction {
  /** Derived from `state`, and no secret: fit to name a cookie. */
  id: string;
  issuer: string;
  clientID: string;
  flow: FlowName;
  redirectURI: string;
  state: string;
  nonce?: string;
  codeVerifier?: string;
  /** The scope asked for. */
  scope: string[];
  maxAge?: number;
  prompt?: string;
  returnTo?: string;
  appState?: unknown;
  /** When it was started, in milliseconds since the Unix epoch. */
  bornAt: number;
}

/** @returns the public handle of the transaction that a `state` belongs to. */
export function transactionID(state: string): string {
  return createHash('sha256').update(state).digest('base64url').slice(0, 16);
}
