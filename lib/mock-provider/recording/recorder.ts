import type { ClientStore } from '../state/clients.js';
import type { MockClock } from '../state/clock.js';
import { type Exchange, firstValue, parametersOf } from './exchange.js';
import { LoginTracker } from './login-tracker.js';
import { maskedRecord } from './masked-record.js';
import { observe, type RecordedExchange } from './observation.js';
import type { RecordedLogin, RecordedRequest, RecordedRequests } from './recorded-request.js';
import { RequestWaiter } from './request-waiter.js';

const MIN_REQUESTS = 5000;
/** Requests are removed in blocks, because each removal moves the whole array. */
const REMOVED_AT_ONCE = MIN_REQUESTS / 10;
/** The inspector opens the newest logins. */
const MAX_UNMASKED = 500;
/** A longer request is recorded without its values, so that these take a few megabytes at most. */
const MAX_UNMASKED_LENGTH = 20_000;

/** Records the exchanges with a provider. In the records values are masked, and fingerprints show which ones are equal. */
export class Recorder {
  readonly list: RecordedRequests;
  readonly #clock: MockClock;
  readonly #clients: ClientStore;
  readonly #requests: RecordedRequest[] = [];
  readonly #exchanges: RecordedExchange[] = [];
  readonly #tracker = new LoginTracker();
  readonly #waiter = new RequestWaiter();
  readonly #unmasked: Map<number, Exchange> | undefined;
  #count = 0;

  /** @param retainsValues whether {@link unmasked} returns exchanges */
  constructor(clock: MockClock, clients: ClientStore, retainsValues: boolean) {
    this.#unmasked = retainsValues ? new Map() : undefined;
    this.#clock = clock;
    this.#clients = clients;
    const waitFor: RecordedRequests['waitFor'] = (match, options = {}) => {
      const known = this.#requests.find(match);
      return known ? Promise.resolve(known) : this.#waiter.wait(match, options, this.#requests, new Error(''));
    };
    this.list = Object.defineProperty(this.#requests, 'waitFor', { value: waitFor }) as unknown as RecordedRequests;
  }

  /** The recorded requests with their observations, for the report and the trace. */
  get exchanges(): readonly RecordedExchange[] {
    return this.#exchanges;
  }

  /** The logins of the recorded requests, the newest last. */
  get logins(): RecordedLogin[] {
    return this.#tracker.recordedLogins(this.#requests, this.#clock.now());
  }

  /** @returns one of the newest {@link MAX_UNMASKED} exchanges with its values, if they are retained. */
  unmasked(number: number): Exchange | undefined {
    return this.#unmasked?.get(number);
  }

  /** Records an exchange and assigns it to a login. */
  add(exchange: Exchange): RecordedRequest {
    const { response, refusal, clinician, fault } = exchange;
    const at = this.#clock.now();
    const parameters = parametersOf(exchange);
    const observation = observe(exchange, parameters, this.#clients);
    const clientID = exchange.clientID === undefined ? undefined : this.#maskID(exchange.clientID);
    const error = firstValue(parameters.location, 'error');
    const isRefused = refusal !== undefined;
    const login = this.#tracker.assign({ at, observation, clientID, clinician, isRefused, error });
    this.#count += 1;
    const identity = {
      number: this.#count,
      at,
      clientID: clientID ?? login?.clientID,
      login: login?.login,
      clinician: clinician ?? login?.clinician,
      fault,
    };
    const record = maskedRecord(identity, exchange, parameters, this.#maskID);
    const isLost = response.connectionFault !== undefined;
    const rateLimitedUntil =
      response.status === 429 ? Number(response.headers['X-Rate-Limit-Reset']) * 1000 : undefined;
    this.#retain(exchange);
    this.#store({ record, observation, isLost, refusal, rateLimitedUntil });
    return record;
  }

  clear(): void {
    this.#requests.length = 0;
    this.#exchanges.length = 0;
    this.#tracker.clear();
    this.#unmasked?.clear();
    this.#count = 0;
    this.#waiter.rejectAll('The provider was reset while waitFor() waited for a request.');
  }

  /** Rejects all waitFor() calls, later ones included. */
  close(): void {
    this.#waiter.close('The provider has stopped: waitFor() receives no more requests.');
  }

  readonly #maskID = (id: string): string => this.#clients.maskID(id);

  #retain(exchange: Exchange): void {
    const { search, body } = exchange.http;
    if (search.length + body.length <= MAX_UNMASKED_LENGTH) this.#unmasked?.set(this.#count, exchange);
    this.#unmasked?.delete(this.#count - MAX_UNMASKED);
  }

  #store(exchange: RecordedExchange): void {
    if (this.#requests.length >= MIN_REQUESTS + REMOVED_AT_ONCE) {
      this.#requests.splice(0, REMOVED_AT_ONCE);
      this.#exchanges.splice(0, REMOVED_AT_ONCE);
    }
    this.#requests.push(exchange.record);
    this.#exchanges.push(exchange);
    this.#waiter.notify(exchange.record);
  }
}
