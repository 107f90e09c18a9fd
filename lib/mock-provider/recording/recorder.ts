import { isWords, MASK, type MaskID } from '../http/masking.js';
import { PATHS } from '../http/paths.js';
import type { Client } from '../state/clients.js';
import type { MockClock } from '../state/clock.js';
import { LoginTracker, outcomeOf } from './login-tracker.js';
import { type Exchange, jsonOf, locationOf, makeRecord, rateLimitedUntil } from './make-record.js';
import { observe, type Pairs, type RecordedExchange } from './observation.js';
import type { RecordedLogin, RecordedRequest, RecordedRequests } from './recorded-request.js';
import { RequestWaiter } from './request-waiter.js';

const LIMIT = 5000;
const NONE: Pairs = Object.freeze([]);

/** The clients that there are. */
interface Clients {
  get(id: string): Pick<Client, 'hasSecret'> | undefined;
  isSecret(text: string): boolean;
}

/** Takes down what is asked and answered. No secret is kept: values are masked, and digests tell which of them are the same. */
export class Recorder {
  readonly list: RecordedRequests;
  readonly #clock: MockClock;
  readonly #clients: Clients;
  readonly #requests: RecordedRequest[] = [];
  readonly #entries: RecordedExchange[] = [];
  readonly #logins = new LoginTracker();
  readonly #waiting = new RequestWaiter();
  /** The clients that got tokens with credentials that were encoded well: theirs are not looked at each time. */
  readonly #encoding = new Set<string>();
  #count = 0;

  constructor(clock: MockClock, clients: Clients) {
    this.#clock = clock;
    this.#clients = clients;
    const waitFor: RecordedRequests['waitFor'] = (match, options = {}) => {
      const known = this.#requests.find(match);
      return known ? Promise.resolve(known) : this.#waiting.wait(match, options, this.#requests);
    };
    this.list = Object.defineProperty(this.#requests, 'waitFor', { value: waitFor }) as unknown as RecordedRequests;
  }

  /** The requests with what was observed in them, for the report: as many as are recorded. */
  get entries(): readonly RecordedExchange[] {
    return this.#entries;
  }

  /** Takes an exchange down, and finds the login that it belongs to. */
  add(exchange: Exchange): RecordedRequest {
    const { http, answer, meant = answer, clientID, clinician, refusal, fault } = exchange;
    const at = this.#clock.now();
    const query = http.search === '' ? NONE : http.query.entries();
    const form = http.isForm ? http.form.entries() : NONE;
    const parameters = form === NONE ? query : query === NONE ? form : [...query, ...form];
    const said: [string, string][] = [];
    const location = locationOf(meant, said);
    const body = jsonOf(meant);
    const isKnownGood = meant.status === 200 && clientID !== undefined && this.#encoding.has(clientID);
    const isSecretOf = this.#isSecretOf;
    const seen = observe({ http, answer: meant, parameters, location: said, body, isSecretOf, isKnownGood });
    if (meant.status === 200 && clientID !== undefined && http.path === PATHS.token && !seen.isBasicRaw) {
      this.#encoding.add(clientID);
    }
    const error = said.find(([name]) => name === 'error')?.[1];
    const named = clientID === undefined ? undefined : this.#maskID(clientID);
    const login = this.#logins.take({ at, seen, clientID: named, clinician, isRefused: refusal !== undefined, error });
    this.#count += 1;
    const record = makeRecord({
      number: this.#count,
      at,
      exchange: {
        http,
        answer,
        meant,
        clientID: named ?? login?.clientID,
        clinician: clinician ?? login?.clinician,
        fault,
      },
      query,
      form,
      location,
      body,
      login: login?.login,
      maskID: this.#maskID,
    });
    this.#keep({
      record,
      seen,
      isLost: answer.connectionFault !== undefined,
      refusal,
      rateLimitedUntil: rateLimitedUntil(answer),
    });
    return record;
  }

  /** The logins of the recorded requests, the newest last. */
  get logins(): RecordedLogin[] {
    const now = this.#clock.now();
    const requests = new Map<number | undefined, RecordedRequest[]>();
    for (const one of this.#requests) {
      const own = requests.get(one.login);
      if (own) own.push(one);
      else requests.set(one.login, [one]);
    }
    return this.#logins.all.flatMap((context) => {
      const { login, clientID, clinician, startedAt } = context;
      const own = requests.get(login);
      if (own === undefined) return [];
      return {
        login,
        ...(clientID !== undefined && { clientID }),
        ...(clinician !== undefined && { clinician }),
        startedAt,
        outcome: outcomeOf(context, now),
        requests: own,
      };
    });
  }

  clear(): void {
    this.#requests.length = 0;
    this.#entries.length = 0;
    this.#logins.clear();
    this.#encoding.clear();
    this.#count = 0;
    this.#waiting.rejectAll('The provider was reset while waitFor() waited for a request.');
  }

  /** Nobody waits any more, and nobody will. */
  close(): void {
    this.#waiting.rejectAll('The provider was stopped: no request can come that waitFor() waits for.', true);
  }

  /** Who takes id and secret for each other sends a secret as the client_id, and it may be short. */
  readonly #maskID: MaskID = (id) =>
    this.#clients.get(id) !== undefined || (isWords(id) && !this.#clients.isSecret(id)) ? id : MASK;

  readonly #isSecretOf = (id: string, secret: string): boolean => this.#clients.get(id)?.hasSecret(secret) === true;

  #keep(entry: RecordedExchange): void {
    // A tenth of the room at a time: taking them away one by one would move the whole array each time.
    if (this.#requests.length >= 1.1 * LIMIT) {
      this.#requests.splice(0, LIMIT / 10);
      this.#entries.splice(0, LIMIT / 10);
    }
    this.#requests.push(entry.record);
    this.#entries.push(entry);
    this.#waiting.notify(entry.record);
  }
}
