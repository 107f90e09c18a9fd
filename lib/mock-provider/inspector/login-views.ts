import type { ProviderInstance } from '../provider-instance.js';
import { groupBy } from '../recording/group-by.js';
import type { Problem } from '../recording/problems.js';
import type { RecordedLogin, RecordedRequest } from '../recording/recorded-request.js';
import type { Finding } from '../recording/report.js';
import { type ValueSection, valueSections } from './exchange-values.js';
import { type ExchangeView, exchangeViewOf } from './exchange-view.js';
import { type LoginStatus, loginStatusOf } from './login-status.js';

/** One login in the list. */
export interface LoginSummary {
  readonly login: number;
  readonly clientID?: string;
  readonly flow?: string;
  readonly clinician?: string;
  readonly startedAt: number;
  readonly status: LoginStatus;
}

/** An exchange of what is open. */
export type OpenedExchange = ExchangeView & { readonly sections: readonly ValueSection[] };

/** The login that is open, or the requests without a login. */
export interface OpenedView {
  readonly login?: LoginSummary;
  readonly exchanges: readonly OpenedExchange[];
  /** The findings of the report about its requests. */
  readonly findings: readonly Finding[];
  /** The number of exchanges that are omitted. */
  readonly omitted: number;
}

const MAX_LOGINS = 50;
const MAX_EXCHANGES = 100;

/** The recorded logins, as the page shows them: a snapshot. */
export class LoginViews {
  readonly #instance: ProviderInstance;
  readonly #findings: readonly Finding[];
  /** The newest first. */
  readonly #logins: readonly RecordedLogin[];
  readonly #problemsByRequest: ReadonlyMap<number, readonly Problem[]>;

  constructor(instance: ProviderInstance, findings: readonly Finding[]) {
    this.#instance = instance;
    this.#findings = findings;
    this.#logins = instance.recorder.logins.reverse();
    this.#problemsByRequest = groupBy(instance.problems.list, ({ request }) => request);
  }

  /** The requests without a login, the oldest first. */
  get otherRequests(): readonly RecordedRequest[] {
    return this.#instance.recorder.list.filter(({ login }) => login === undefined);
  }

  /** @returns the newest logins, the newest first. */
  list(): readonly LoginSummary[] {
    return this.#logins.slice(0, MAX_LOGINS).map((login) => this.#summary(login, this.#exchanges(login.requests)));
  }

  /**
   * @param fragment `login-3`, `request-12` or `other-requests`; otherwise the newest login
   * @returns undefined when nothing is recorded.
   */
  open(fragment: string): OpenedView | undefined {
    const [, kind, text] = /^(login|request)-(\d{1,15})$/.exec(fragment) ?? [];
    const number = Number(text);
    if (kind === 'login') return this.#openLogin(number);
    if (kind === 'request') {
      const request = this.#instance.recorder.list.find((one) => one.number === number);
      if (request === undefined) return undefined;
      return request.login === undefined ? this.#openOthers(number) : this.#openLogin(request.login, number);
    }
    const [newest] = this.#logins;
    return newest === undefined || fragment === 'other-requests' ? this.#openOthers() : this.#openLogin(newest.login);
  }

  #summary(recorded: RecordedLogin, exchanges: readonly ExchangeView[]): LoginSummary {
    const { clients, clock } = this.#instance;
    const { requests: _, outcome: __, ...identity } = recorded;
    const flow = recorded.clientID === undefined ? undefined : clients.get(recorded.clientID)?.flow;
    const status = loginStatusOf(recorded, exchanges, clock.now());
    return { ...identity, ...(flow !== undefined && { flow }), status };
  }

  #openLogin(number: number, request?: number): OpenedView | undefined {
    const recorded = this.#logins.find(({ login }) => login === number);
    if (recorded === undefined) return undefined;
    const exchanges = this.#exchanges(recorded.requests);
    return { login: this.#summary(recorded, exchanges), ...this.#part(recorded.requests, exchanges, request) };
  }

  #openOthers(request?: number): OpenedView | undefined {
    const requests = this.otherRequests;
    return requests.length === 0 ? undefined : this.#part(requests, this.#exchanges(requests), request);
  }

  /** @returns the newest exchanges, or the ones from a request on. */
  #part(
    requests: readonly RecordedRequest[],
    exchanges: readonly ExchangeView[],
    request: number | undefined,
  ): OpenedView {
    const newest = Math.max(0, exchanges.length - MAX_EXCHANGES);
    const requested = exchanges.findIndex(({ number }) => number === request);
    const start = requested < 0 ? newest : Math.min(requested, newest);
    const { recorder, idTokens } = this.#instance;
    const shown = requests.slice(start, start + MAX_EXCHANGES).map((record, index) => ({
      ...(exchanges[start + index] as ExchangeView),
      sections: valueSections(record, recorder.unmasked(record.number), idTokens),
    }));
    const numbers = new Set(exchanges.map(({ number }) => number));
    return {
      exchanges: shown,
      findings: this.#findings.filter(({ requests }) => requests.some((number) => numbers.has(number))),
      omitted: exchanges.length - shown.length,
    };
  }

  #exchanges(requests: readonly RecordedRequest[]): ExchangeView[] {
    const { issuer } = this.#instance;
    return requests.map((one) => exchangeViewOf(one, this.#problemsByRequest.get(one.number) ?? [], issuer));
  }
}
