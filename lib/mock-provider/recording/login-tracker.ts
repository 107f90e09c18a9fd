import { DigestIndex } from './digest-index.js';
import type { Observation } from './observation.js';
import type { LoginOutcome } from './recorded-request.js';

/** One login: from its authorization request to whatever its tokens were used for. */
export interface TrackedLogin {
  readonly login: number;
  clientID: string | undefined;
  /** The user name of the clinician, once known. */
  clinician: string | undefined;
  /** By the provider's clock, in milliseconds. */
  readonly startedAt: number;
  lastAt: number;
  hasCode: boolean;
  end: 'signed in' | 'denied' | 'refused' | undefined;
}

/** What one exchange says about the login that it belongs to. */
export interface LoginEvent {
  readonly at: number;
  readonly seen: Observation;
  readonly clientID: string | undefined;
  readonly clinician: string | undefined;
  readonly isRefused: boolean;
  /** The error that the client was told of. */
  readonly error: string | undefined;
}

/** What of a request says which login it goes on with. */
const LINKS = ['interaction', 'access_token', 'code', 'refresh_token', 'token', 'id_token_hint'];
const LIMIT = 2500;
/** A page waits for an hour, a code lives for ten minutes at most (decision 38). */
const PAGE_WAITS = 3_600_000;
const CODE_WAITS = 600_000;

/** The logins that were seen, the newest at least. */
export class LoginTracker {
  readonly #keys = new DigestIndex();
  #logins: TrackedLogin[] = [];
  #count = 0;

  get all(): readonly TrackedLogin[] {
    return this.#logins;
  }

  /** @returns the login that an exchange belongs to, brought up to date; undefined when it belongs to none. */
  take(step: LoginEvent): TrackedLogin | undefined {
    const { seen, at } = step;
    const login = seen.authorization === undefined ? this.#linked(seen) : this.#begun(seen.authorization, at);
    if (login === undefined) return undefined;
    login.lastAt = at;
    login.clientID ??= step.clientID;
    if (login.end === undefined) login.clinician = step.clinician ?? login.clinician;
    goOn(login, step);
    for (const key of Object.values(seen.responseDigests)) this.#keys.set(key, login.login);
    return login;
  }

  clear(): void {
    this.#keys.clear();
    this.#logins = [];
    this.#count = 0;
  }

  #linked({ requestDigests: brought }: Observation): TrackedLogin | undefined {
    for (const name of LINKS) {
      const key = brought[name];
      if (key === undefined) continue;
      const login = this.#numbered(this.#keys.get(key));
      if (login !== undefined) return login;
    }
    return undefined;
  }

  #numbered(number: number | undefined): TrackedLogin | undefined {
    return number === undefined ? undefined : this.#logins[number - (this.#logins[0]?.login ?? 0)];
  }

  /** The same request again, while its login is open, is a page that was reloaded. */
  #begun(key: string, at: number): TrackedLogin {
    const known = this.#numbered(this.#keys.get(key));
    if (known !== undefined && known.end === undefined && !known.hasCode) return known;
    if (this.#logins.length >= 2 * LIMIT) this.#logins = this.#logins.slice(LIMIT);
    this.#count += 1;
    const unknown = { clientID: undefined, clinician: undefined, hasCode: false, end: undefined };
    const login: TrackedLogin = { login: this.#count, startedAt: at, lastAt: at, ...unknown };
    this.#logins.push(login);
    this.#keys.set(key, this.#count);
    return login;
  }
}

function goOn(login: TrackedLogin, { seen, isRefused, error }: LoginEvent): void {
  if (seen.responseDigests.access_token !== undefined) login.end = 'signed in';
  if (login.end === 'signed in') return;
  if (seen.responseDigests.code !== undefined) {
    login.hasCode = true;
    login.end = undefined;
  } else if (error === 'access_denied') login.end = 'denied';
  else if (isRefused) login.end = 'refused';
}

export function outcomeOf({ end, hasCode, lastAt }: TrackedLogin, now: number): LoginOutcome {
  if (end !== undefined) return end;
  return now - lastAt > (hasCode ? CODE_WAITS : PAGE_WAITS) ? 'abandoned' : 'open';
}
