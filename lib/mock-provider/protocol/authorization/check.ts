import type { Parameters } from '../../http/parameters.js';
import type { ProviderInstance } from '../../provider-instance.js';
import type { Client } from '../../state/clients.js';
import type { Refusal } from '../refusal.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** What a check sees of a request whose client and redirect URI are trusted. */
export interface CheckContext {
  readonly parameters: Parameters;
  readonly client: Client;
  readonly instance: Pick<ProviderInstance, 'accounts' | 'keys' | 'issuer'>;
}

/** One rule: why the request is refused, or what it says in the parameters that the rule is about. */
export type Check = (context: CheckContext) => Refusal | Partial<AuthorizationRequest>;
