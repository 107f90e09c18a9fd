import type { Answer } from '../answer.js';
import type { MockClock } from '../clock.js';
import type { MockRequest } from '../request.js';
import { LoginBook, type LoginOutcome, outcomeOf } from './logins.js';
import { maskedAddress, maskedParameters, maskedPath, schemeOf } from './masking.js';
import { observe } from './observation.js';

const LIMIT = 5000;

/** One exchange with the provider, secrets masked. */
export interface RecordedRequest {
  /** Counted from 1 on since the start or the last `reset()`. */
  readonly number: number;
  /** Milliseconds since the epoch, by the provider's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** How the client authenticated: the scheme alone. */
  readonly authorization: string | undefined;
  readonly status: number;
  /** Where it was redirected to, without the values of its parameters that are secret. */
  readonly location: string | undefined;
  /** The client that asked, when that is known. */
  readonly clientID: string | undefined;
  /** Which login it belongs to, as `provider.logins()` counts them. */
  readonly login?: number;
  /** The user name of the clinician, when that is known. */
  readonly clinician?: string;
  /** The fault that struck. */
  readonly fault?: string;
}

/** All that belongs to one login, from its authorization request to the last use of its tokens. */
export interface RecordedLogin {
  /** Counted from 1 on; what `RecordedRequest.login` names. */
  readonly login: number;
  readonly clientID?: string;
  /** The user name of the clinician, once known. */
  readonly clinician?: string;
  /** Milliseconds since the epoch, by the provider's clock. */
  readonly startedAt: number;
  readonly outcome: LoginOutcome;
  readonly requests: readonly RecordedRequest[];
}

/** What was asked and answered: `provider.requests`, an array, newest last. The newest 5,000 are kept at least. */
export type RecordedRequests = readonly RecordedRequest[] & {
  /** @returns the first request that matches, also one that is still to come. */
  waitFor(match: (request: RecordedRequest) => boolean): Promise<RecordedRequest>;
};

/** One exchange as it is to be recorded. */
export interface Exchange {
  readonly http: MockRequest;
  /** What went out. */
  readonly answer: Answer;
  /** What the endpoint answered, before a fault spoilt it. @default answer */
  readonly meant?: Answer;
  readonly clientID: string | undefined;
  /** Who is signed in at the provider with this browser. */
  readonly clinician?: string | undefined;
  readonly isRefused: boolean;
  readonly fault?: string | undefined;
}

interface Waiting {
  readonly match: (request: RecordedRequest) => boolean;
  readonly resolve: (request: RecordedRequest) => void;
}

export class Recorder {
  readonly list: RecordedRequests;
  readonly #clock: MockClock;
  readonly #requests: RecordedRequest[] = [];
  readonly #logins = new LoginBook();
  #count = 0;
  #waiting: Waiting[] = [];

  constructor(clock: MockClock) {
    this.#clock = clock;
    const waitFor = (match: Waiting['match']) => {
      const known = this.#requests.find(match);
      if (known) return Promise.resolve(known);
      return new Promise<RecordedRequest>((resolve) => this.#waiting.push({ match, resolve }));
    };
    this.list = Object.defineProperty(this.#requests, 'waitFor', { value: waitFor }) as unknown as RecordedRequests;
  }

  /** Takes an exchange down, and finds the login that it belongs to. */
  add({ http, answer, meant = answer, clientID, clinician, isRefused, fault }: Exchange): RecordedRequest {
    const at = this.#clock.now();
    const said = new Map<string, string>();
    const location = locationOf(meant, said);
    const seen = observe(http, meant, said);
    const login = this.#logins.take({ at, seen, clientID, clinician, isRefused, error: said.get('error') });
    const who = clinician ?? login?.clinician;
    this.#count += 1;
    const recorded: RecordedRequest = {
      number: this.#count,
      at,
      method: http.method,
      path: maskedPath(http.path),
      query: http.search === '' ? NOTHING : maskedParameters(http.query),
      form: http.isForm ? maskedParameters(http.form) : NOTHING,
      authorization: schemeOf(http.headers.authorization),
      status: answer.status,
      location: answer === meant ? location : locationOf(answer),
      clientID: clientID ?? login?.clientID,
      ...(login !== undefined && { login: login.login }),
      ...(who !== undefined && { clinician: who }),
      ...(fault !== undefined && { fault }),
    };
    this.#keep(recorded);
    return recorded;
  }

  /** @returns the logins that were seen, the newest last: at most as far back as the requests that are kept. */
  logins(): RecordedLogin[] {
    const now = this.#clock.now();
    const requests = new Map<number | undefined, RecordedRequest[]>();
    for (const one of this.#requests) {
      const own = requests.get(one.login);
      if (own) own.push(one);
      else requests.set(one.login, [one]);
    }
    return this.#logins.all.flatMap((standing): RecordedLogin[] => {
      const { login, clientID, clinician, startedAt } = standing;
      const own = requests.get(login);
      if (own === undefined) return [];
      return [
        {
          login,
          ...(clientID !== undefined && { clientID }),
          ...(clinician !== undefined && { clinician }),
          startedAt,
          outcome: outcomeOf(standing, now),
          requests: own,
        },
      ];
    });
  }

  clear(): void {
    this.#requests.length = 0;
    this.#logins.clear();
    this.#count = 0;
  }

  #keep(recorded: RecordedRequest): void {
    // A tenth of the room at a time: taking them away one by one would move the whole array each time.
    if (this.#requests.length >= 1.1 * LIMIT) this.#requests.splice(0, LIMIT / 10);
    this.#requests.push(recorded);
    if (this.#waiting.length > 0) this.#tell(recorded);
  }

  #tell(recorded: RecordedRequest): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      if (one.match(recorded)) one.resolve(recorded);
      else this.#waiting.push(one);
    }
  }
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

/** @returns the masked Location; `said` gets what its parameters say. */
function locationOf({ headers }: Answer, said?: Map<string, string>): string | undefined {
  const location = headers.Location;
  if (typeof location !== 'string') return undefined;
  return maskedAddress(location, (name, value) => said?.set(name, value));
}
