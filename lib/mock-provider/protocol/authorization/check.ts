import type { Parameters } from '../../http/parameters.js';
import type { AccountStore } from '../../state/accounts.js';
import type { AuthorizationRequest } from '../../state/authorization-request.js';
import type { Client } from '../../state/clients.js';
import type { KeyRing } from '../../state/keys.js';
import type { Refusal } from '../refusal.js';

/** The input of a check: a request whose client and redirect URI are valid, and what an id_token_hint is compared with. */
export interface CheckContext {
  readonly parameters: Parameters;
  readonly client: Client;
  readonly issuer: string;
  readonly keys: Pick<KeyRing, 'byKid'>;
  readonly accounts: Pick<AccountStore, 'bySub'>;
}

/** @returns why the request is refused, or the members of the request that it read. */
export type Check = (context: CheckContext) => Refusal | Partial<AuthorizationRequest>;
