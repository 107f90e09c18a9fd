import type { Account } from '../../state/account.js';
import type { Client } from '../../state/clients.js';

export type ResponseMode = 'query' | 'fragment';
export type ResponseType = 'code' | 'code id_token';
export type Prompt = 'none' | 'login' | 'consent' | 'create';

/** Where an authorization response goes, an error's included. */
export interface ResponseTarget {
  readonly client: Client;
  readonly redirectURI: string;
  readonly responseMode: ResponseMode;
  /** Comes back byte for byte. */
  readonly state?: string | undefined;
  /** True when `openid` is asked for. */
  readonly isOpenID: boolean;
}

/** An authorization request that passed every check. */
export interface AuthorizationRequest extends ResponseTarget {
  readonly responseType: ResponseType;
  /** Unknown words left out. */
  readonly scope: readonly string[];
  readonly prompt: ReadonlySet<Prompt>;
  readonly display: 'page' | 'popup';
  /** Which page a person who is not signed in lands on. */
  readonly landing: 'login' | 'verify';
  readonly nonce?: string | undefined;
  readonly codeChallenge?: string | undefined;
  /** Seconds. */
  readonly maxAge?: number | undefined;
  /** Whom the id_token_hint names. */
  readonly hinted?: Account | undefined;
  readonly loginHint?: string | undefined;
}
