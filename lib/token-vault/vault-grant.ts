import type { Clock } from '../clock.js';
import { SignInRequiredError } from '../errors.js';
import type { Secret } from '../secret.js';

/** What the vault needs to see of the tokens that it keeps; a TokenSet fits. */
export interface VaultTokens {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  /** Milliseconds since the epoch at which the access token ends. */
  readonly expiresAt: number;
}

/** A grant that was read and opened. */
export interface VaultGrant<T> {
  readonly userKey: string;
  readonly version: number;
  readonly tokens: T;
  /** From then on the access token is refreshed rather than used, though it may still be good for a moment. */
  readonly refreshAt: number;
}

/** What reading a grant gives: `'unreadable'` when it is there, but was not sealed by us for this grant and user. */
export type ReadGrant<T> = VaultGrant<T> | 'unreadable' | undefined;

/** @returns true when the access token can be handed out without a thought of refreshing it. */
export function isFresh<T extends VaultTokens>(
  held: VaultGrant<T>,
  refused: string | undefined,
  clock: Clock,
): boolean {
  return clock.now() < held.refreshAt && held.tokens.accessToken.reveal() !== refused;
}

/** @returns true when the access token has not ended yet: second best, where a refresh is not to be had. */
export function isUsable<T extends VaultTokens>(
  held: VaultGrant<T>,
  refused: string | undefined,
  clock: Clock,
): boolean {
  return clock.now() < held.tokens.expiresAt && held.tokens.accessToken.reveal() !== refused;
}

/** @returns the grant that was read, or throws what says why there is none. */
export function requireGrant<T>(read: ReadGrant<T>): VaultGrant<T> {
  if (read === 'unreadable') {
    throw new SignInRequiredError('grant_unreadable', 'The tokens of this sign-in cannot be opened: sign in again.');
  }
  if (read === undefined) throw grantEnded();
  return read;
}

export function grantEnded(cause?: unknown): SignInRequiredError {
  return new SignInRequiredError('grant_ended', 'This sign-in has ended: sign in again.', cause);
}
