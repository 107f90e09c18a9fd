import type { Parameters } from '../../http/parameters.js';
import type { Client } from '../../state/clients.js';
import type { GrantStore, IssuedTokens } from '../../state/grants.js';
import type { Refusal } from '../refusal.js';

/** Tokens that a grant type gave. */
export interface Issued extends IssuedTokens {
  /** Decision 51: Form A says the scope only where it is not what was asked for. */
  readonly requestedScope: readonly string[];
  readonly isRefresh: boolean;
}

/** One grant type of the token endpoint. */
export type GrantHandler = (form: Parameters, client: Client, grants: GrantStore) => Issued | Refusal;
