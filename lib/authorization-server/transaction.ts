import { createHash } from 'node:crypto';
import type { FlowName } from './flows.js';

/** One login attempt, from the authorization request to its response. Plain JSON: it is sealed into its own cookie. */
export interface Transaction {
  /** Derived from `state`, not secret: it names the cookie. */
  id: string;
  issuer: string;
  clientID: string;
  flow: FlowName;
  redirectURI: string;
  state: string;
  nonce?: string;
  codeVerifier?: string;
  /** The requested scope. */
  scope: string[];
  /** Seconds. */
  maxAge?: number;
  prompt?: string;
  returnTo?: string;
  appState?: unknown;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
}

/** @returns the id of the transaction that a `state` belongs to. */
export function transactionID(state: string): string {
  return createHash('sha256').update(state).digest('base64url').slice(0, 16);
}
