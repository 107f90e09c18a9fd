import { groupBy } from './group-by.js';
import type { Observation } from './observation.js';
import type { LoginOutcome, RecordedLogin, RecordedRequest } from './recorded-request.js';

/** The recorded facts of one login. */
interface TrackedLogin {
  readonly login: number;
  clientID: string | undefined;
  clinician: string | undefined;
  /** Milliseconds by the provider's clock, as lastAt. */
  readonly startedAt: number;
  lastAt: number;
  hasCode: boolean;
  result: 'signed in' | 'denied' | 'refused' | undefined;
}

/** One exchange, as far as it concerns a login. */
interface LoginEvent {
  readonly at: number;
  readonly observation: Observation;
  readonly clientID: string | undefined;
  readonly clinician: string | undefined;
  readonly isRefused: boolean;
  /** The error parameter of the redirect to the client. */
  readonly error: unknown;
}

/** The parameters that connect a request to a login, by precedence. */
const LINKING_PARAMETERS = ['interaction', 'access_token', 'code', 'refresh_token', 'token', 'id_token_hint'];
const MIN_LOGINS = 2500;
/** More fingerprints than the recorded requests and responses contain. */
const MIN_FINGERPRINTS = 12_000;
/** After these times without a request a page or a code has expired. The lifetime of a code is at most 10 minutes. */
const PAGE_LIFETIME_MS = 3_600_000;
const CODE_LIFETIME_MS = 600_000;

/** Assigns exchanges to logins, by the fingerprints of their parameters and tokens. Stores at least the newest {@link MIN_LOGINS}. */
export class LoginTracker {
  /** The number of each fingerprint's login. The one that was used last is at the end. */
  readonly #loginByFingerprint = new Map<number, number>();
  #logins: TrackedLogin[] = [];
  #count = 0;

  /** @returns the login of an exchange, updated with it; undefined for an exchange outside a login. */
  assign(event: LoginEvent): TrackedLogin | undefined {
    const { observation, at } = event;
    const { authorizationFingerprint } = observation;
    const login =
      authorizationFingerprint === undefined
        ? this.#findLinked(observation)
        : this.#startOrContinue(authorizationFingerprint, at);
    if (login === undefined) return undefined;
    update(login, event);
    for (const value of Object.values(observation.responseFingerprints)) this.#link(value, login.login);
    return login;
  }

  /** @returns the logins of these requests, the newest last. */
  recordedLogins(requests: readonly RecordedRequest[], now: number): RecordedLogin[] {
    const requestsByLogin = groupBy(requests, ({ login }) => login);
    return this.#logins.flatMap((tracked) => {
      const { login, clientID, clinician, startedAt } = tracked;
      const own = requestsByLogin.get(login);
      if (own === undefined) return [];
      return {
        login,
        ...(clientID !== undefined && { clientID }),
        ...(clinician !== undefined && { clinician }),
        startedAt,
        outcome: outcomeOf(tracked, now),
        requests: own,
      };
    });
  }

  clear(): void {
    this.#loginByFingerprint.clear();
    this.#logins = [];
    this.#count = 0;
  }

  #findLinked({ requestFingerprints }: Observation): TrackedLogin | undefined {
    for (const name of LINKING_PARAMETERS) {
      const login = this.#findByFingerprint(requestFingerprints[name]);
      if (login !== undefined) return login;
    }
    return undefined;
  }

  /**
   * Starts a login, or continues an open one: an authorization request that repeats the one of an open login is a reload of its
   * page.
   */
  #startOrContinue(value: number, at: number): TrackedLogin {
    const known = this.#findByFingerprint(value);
    if (known !== undefined && known.result === undefined && !known.hasCode) return known;
    if (this.#logins.length >= 2 * MIN_LOGINS) this.#logins = this.#logins.slice(MIN_LOGINS);
    this.#count += 1;
    const unknown = { clientID: undefined, clinician: undefined, hasCode: false, result: undefined };
    const login: TrackedLogin = { login: this.#count, startedAt: at, lastAt: at, ...unknown };
    this.#logins.push(login);
    this.#link(value, this.#count);
    return login;
  }

  #findByFingerprint(value: number | undefined): TrackedLogin | undefined {
    const number = value === undefined ? undefined : this.#loginByFingerprint.get(value);
    if (value === undefined || number === undefined) return undefined;
    this.#link(value, number);
    return this.#logins[number - (this.#logins[0]?.login ?? 0)];
  }

  /** Removes the oldest half of the fingerprints when there are too many. One at a time would be slower. */
  #link(value: number, login: number): void {
    this.#loginByFingerprint.delete(value);
    this.#loginByFingerprint.set(value, login);
    if (this.#loginByFingerprint.size < 2 * MIN_FINGERPRINTS) return;
    for (const oldest of this.#loginByFingerprint.keys()) {
      if (this.#loginByFingerprint.size <= MIN_FINGERPRINTS) return;
      this.#loginByFingerprint.delete(oldest);
    }
  }
}

function update(login: TrackedLogin, { at, observation, clientID, clinician, isRefused, error }: LoginEvent): void {
  const { access_token, code } = observation.responseFingerprints;
  login.lastAt = at;
  login.clientID ??= clientID;
  if (login.result === undefined) login.clinician = clinician ?? login.clinician;
  if (access_token !== undefined) login.result = 'signed in';
  if (login.result === 'signed in') return;
  if (code !== undefined) {
    login.hasCode = true;
    login.result = undefined;
  } else if (error === 'access_denied') login.result = 'denied';
  else if (isRefused) login.result = 'refused';
}

function outcomeOf({ result, hasCode, lastAt }: TrackedLogin, now: number): LoginOutcome {
  if (result !== undefined) return result;
  return now - lastAt > (hasCode ? CODE_LIFETIME_MS : PAGE_LIFETIME_MS) ? 'abandoned' : 'open';
}
