import type { ResourceAPI } from '../resource-api/resource-api.js';

/** The state of the tokens of one login, without the tokens. */
export interface TokenState {
  /** When the access token expires, in milliseconds since the Unix epoch. It is refreshed if you use it shortly before that. */
  expiresAt: number;
  scope: readonly string[];
  /** Whether the access token can be refreshed. */
  refreshable: boolean;
}

/** Manages the tokens of one login without exposing them. */
export interface ClinicianGrant {
  /** The resource API with these tokens, refreshed as needed. */
  readonly api: ResourceAPI;
  /** @returns undefined if the tokens were revoked, or the service has ended them. */
  state(): Promise<TokenState | undefined>;
  /**
   * Refreshes the access token, even before it expires. Throws {@link SignInRequiredError} when the service refuses. If the
   * service sent no refresh token, the code is `refresh_token_missing`, and the login continues until its access token expires.
   * Throws the retryable `refresh_busy` if another process takes longer than a second to refresh these tokens.
   */
  refresh(): Promise<void>;
  /** Revokes the tokens at the service and erases them here, which ends the login. Safe to repeat. */
  revoke(): Promise<void>;
}
