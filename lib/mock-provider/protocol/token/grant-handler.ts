import type { Parameters } from '../../http/parameters.js';
import type { Client } from '../../state/clients.js';
import type { GrantStore, IssuedTokens } from '../../state/grants.js';
import type { Refusal } from '../refusal.js';

/** The tokens of a successful token request. */
export interface Issued extends IssuedTokens {
  /** For the ID Token; undefined for a refresh (OpenID Connect Core section 12.2). */
  readonly nonce?: string | undefined;
}

/** Handles one grant type of the token endpoint. */
export type GrantHandler = (form: Parameters, client: Client, grants: GrantStore) => Issued | Refusal;
