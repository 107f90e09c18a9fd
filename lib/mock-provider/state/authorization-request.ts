import type { Client } from './clients.js';

export type ResponseMode = 'query' | 'fragment';
type ResponseType = 'code' | 'code id_token';
export type Prompt = 'none' | 'login' | 'consent' | 'create';

/** The target of an authorization response, also of an error. */
export interface ResponseTarget {
  readonly client: Client;
  readonly redirectURI: string;
  readonly responseMode: ResponseMode;
  /** Returned unchanged. */
  readonly state?: string | undefined;
}

/** An authorization request that passed every check. */
export interface AuthorizationRequest extends ResponseTarget {
  readonly responseType: ResponseType;
  /** Without unknown scopes. */
  readonly scope: readonly string[];
  readonly prompt: ReadonlySet<Prompt>;
  readonly display: 'page' | 'popup';
  /** The page that a user without a session sees first. */
  readonly landing: 'login' | 'verify';
  readonly nonce?: string | undefined;
  readonly codeChallenge?: string | undefined;
  /** Seconds. */
  readonly maxAge?: number | undefined;
  /** The sign-in name that is filled in: of the user of id_token_hint, or login_hint. */
  readonly loginHint?: string | undefined;
}
