import { BoundedMap } from '../async/bounded-map.js';
import { type ClinicianError, isClinicianError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import type { TokenStore } from '../token-vault/token-store.js';
import { tokensInMemory } from './tokens-in-memory.js';

interface KnownLoginsOptions {
  store: Pick<TokenStore, 'inMemory'>;
  events: Events;
}

const MAX_GRANTS = 100_000;

/**
 * Returns true for an error that ends the login. With an unknown secret it does not end: other processes can use its tokens, and
 * this one when the secret is listed.
 */
export function endsLogin(error: unknown): error is ClinicianError {
  return isClinicianError(error) && error.remedy === 'sign_in' && error.code !== 'grant_secret_unknown';
}

/** @returns the reason why tokens have ended, if it is known. */
export function endReasonOf<E>(error: E): E | ClinicianError {
  const isEnd = isClinicianError(error) && error.code === 'grant_ended';
  return isEnd && isClinicianError(error.cause) ? error.cause : error;
}

/** The logins whose tokens this process has stored, read or ended. Notifies listeners when one ends. @internal */
export class KnownLogins {
  readonly #options: KnownLoginsOptions;
  readonly #logins = new BoundedMap<string, { userID?: string | undefined; hasEnded?: true }>(MAX_GRANTS);
  readonly #endListeners: ((grantID: string) => void)[] = [];

  constructor(options: KnownLoginsOptions) {
    this.#options = options;
  }

  /** Adds a listener for logins that end, for whatever reason. */
  onEnd(listener: (grantID: string) => void): void {
    this.#endListeners.push(listener);
  }

  /** Adds a login whose tokens were stored. */
  add(grantID: string, userID: string): void {
    this.#logins.set(grantID, { userID });
  }

  /** Adds a login whose tokens were read, unless it is known. */
  observe(grantID: string, userID: string): void {
    if (!this.#logins.has(grantID)) this.add(grantID, userID);
  }

  /** Marks a login as ended. */
  end(grantID: string): void {
    // Without the id of the user, who may have been forgotten.
    this.#logins.set(grantID, { hasEnded: true });
    for (const listener of this.#endListeners) listener(grantID);
  }

  /** Ends every login of one user. */
  endUser(userID: string): void {
    for (const [grantID, login] of this.#logins) if (login.userID === userID) this.end(grantID);
  }

  /** Ends a login whose tokens cannot be used any more, and reports the reason once. */
  endFor(grantID: string, error: ClinicianError, userID: string | undefined = this.#logins.get(grantID)?.userID): void {
    const reason = this.#reasonOf(grantID, error);
    const { events } = this.#options;
    if (!this.#logins.get(grantID)?.hasEnded) {
      events.emit('login_ended', { userID, error: reason });
      if (reason.remedy === 'fix_code') events.warn(reason);
    }
    this.end(grantID);
  }

  /** Returns the reason why the tokens of a login cannot be used any more. */
  #reasonOf(grantID: string, error: ClinicianError): ClinicianError {
    const reason = endReasonOf(error);
    if (reason.code !== 'grant_ended') return reason;
    return this.#options.store.inMemory && !this.#logins.has(grantID) ? tokensInMemory() : error;
  }
}
