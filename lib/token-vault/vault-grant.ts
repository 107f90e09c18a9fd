import type { Clock } from '../clock.js';
import { SignInRequiredError } from '../errors.js';
import type { Secret } from '../secret.js';

/** The part of the tokens that the vault reads; a TokenSet has it. */
export interface VaultTokens {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  /** The expiry of the access token, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** A grant, read and opened. */
export interface VaultGrant<T> {
  readonly userKey: string;
  readonly version: number;
  readonly tokens: T;
  /** From this time on the access token is refreshed before use, although it may still be valid for a moment. */
  readonly refreshAt: number;
}

/** `'unreadable'`: the record exists, but was not sealed with these secrets for this grant and user. */
export type ReadGrant<T> = VaultGrant<T> | 'unreadable' | undefined;

/** @returns true when the access token can be used without a refresh. */
export function isFresh<T extends VaultTokens>(
  grant: VaultGrant<T>,
  refusedToken: string | undefined,
  clock: Clock,
): boolean {
  return clock.now() < grant.refreshAt && grant.tokens.accessToken.reveal() !== refusedToken;
}

/** @returns true when the access token has not expired, for use where a refresh fails. */
export function isUsable<T extends VaultTokens>(
  grant: VaultGrant<T>,
  refusedToken: string | undefined,
  clock: Clock,
): boolean {
  return clock.now() < grant.tokens.expiresAt && grant.tokens.accessToken.reveal() !== refusedToken;
}

/** @throws SignInRequiredError `grant_unreadable` or `grant_ended` */
export function requireGrant<T>(read: ReadGrant<T>): VaultGrant<T> {
  if (read === 'unreadable') {
    throw new SignInRequiredError(
      'grant_unreadable',
      'The tokens of this sign-in cannot be decrypted. Please sign in again.',
    );
  }
  if (read === undefined) throw grantEnded();
  return read;
}

export function grantEnded(cause?: unknown): SignInRequiredError {
  return new SignInRequiredError('grant_ended', 'This sign-in has ended. Please sign in again.', cause);
}
