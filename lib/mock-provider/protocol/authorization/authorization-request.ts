import type { Account } from '../../stores/account.js';
import type { Client } from '../../stores/clients.js';
import type { Session } from '../../stores/sessions.js';

/** An authorization request that passed every check (decisions 11 to 33). */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectURI: string;
  readonly responseType: 'code' | 'code id_token';
  readonly responseMode: 'query' | 'fragment';
  readonly scope: readonly string[];
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  readonly codeChallenge: string | undefined;
  readonly prompt: ReadonlySet<string>;
  readonly display: 'page' | 'popup';
  readonly landing: 'verify' | 'login';
  /** Seconds. */
  readonly maxAge: number | undefined;
  /** Whom the id_token_hint names. */
  readonly hinted: Account | undefined;
  readonly loginHint: string | undefined;
}

/** Who asks, as far as the browser's cookies tell. */
export interface Asker {
  readonly session: Session | undefined;
}
