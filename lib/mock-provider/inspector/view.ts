import { type GrantState, grantStates, type RateWindow, rateWindows } from '../control/grant-state.js';
import type { ControlledProvider } from '../control/operation.js';
import {
  type ClientState,
  type ClinicianState,
  clientStates,
  clinicianStates,
  clockState,
} from '../control/snapshot.js';
import type { QueuedFault } from '../faults/fault-queue.js';
import type { Problem } from '../recording/problems.js';
import type { RecordedLogin, RecordedRequest } from '../recording/recorded-request.js';
import { type Finding, reportOn } from '../recording/report.js';
import type { ClientStore } from '../state/clients.js';
import type { Keys } from '../state/keys.js';
import { type ExchangeView, exchangeViewOf } from './exchange-view.js';
import { type LoginStatus, loginStatusOf } from './login-status.js';

/** One login in the inspector. */
export interface LoginView {
  readonly login: number;
  readonly clientID?: string;
  readonly flow?: string;
  readonly clinician?: string;
  readonly startedAt: number;
  readonly status: LoginStatus;
  readonly exchanges: readonly ExchangeView[];
  /** The findings of the report about its refused requests. */
  readonly findings: readonly Finding[];
  /** The number of earlier exchanges that are omitted. */
  readonly omitted: number;
}

/** Everything that the inspector's page shows. It contains no secret. */
export interface InspectorView {
  readonly issuer: string;
  readonly apiURL: string;
  /** `now` is set only while the clock is frozen: otherwise the view would change every second. */
  readonly clock: { readonly offset: number; readonly now?: number };
  /** The newest first. */
  readonly logins: readonly LoginView[];
  /** Requests without a login, the newest first. */
  readonly otherRequests: readonly ExchangeView[];
  readonly queuedFaults: readonly QueuedFault[];
  readonly grants: readonly GrantState[];
  /** Of the clinicians who sent at least one request. */
  readonly rates: readonly RateWindow[];
  readonly clients: readonly ClientState[];
  readonly clinicians: readonly ClinicianState[];
  readonly keys: Pick<Keys, 'current' | 'published'>;
  /** The findings of the report. */
  readonly findings: readonly Finding[];
}

/** This rule repeats the problems, which the inspector shows with their requests. */
const REPEATED_RULE = 'request-refused';
const MAX_LOGINS = 25;
const MAX_EXCHANGES = 40;
const MAX_OTHER_REQUESTS = 20;
const MAX_GRANTS = 40;
const MAX_CLIENTS = 50;

/** @returns a function that returns the current view. */
export function createInspectorView(provider: ControlledProvider): () => InspectorView {
  const { issuer, apiURL, clock, keys, clients, accounts, sessions, grants, rates, faults, recorder } = provider;
  const currentFindings = createFindings(recorder, clients);

  return function inspectorView() {
    const { now, offset, isFrozen } = clockState(clock);
    const findings = currentFindings();
    const exchangeViews = createExchangeViews(provider);
    const loginView = (login: RecordedLogin): LoginView => {
      const { requests, outcome: _, ...identity } = login;
      const exchanges = exchangeViews(requests);
      const flow = login.clientID === undefined ? undefined : clients.get(login.clientID)?.flow;
      const refused = new Set(exchanges.filter(({ problems }) => problems.length > 0).map(({ number }) => number));
      return {
        ...identity,
        ...(flow !== undefined && { flow }),
        status: loginStatusOf(login, exchanges, now),
        exchanges: exchanges.slice(-MAX_EXCHANGES),
        findings: findings.filter((finding) => finding.requests.some((number) => refused.has(number))),
        omitted: Math.max(0, exchanges.length - MAX_EXCHANGES),
      };
    };
    const otherRequests = recorder.list.filter(({ login }) => login === undefined).slice(-MAX_OTHER_REQUESTS);
    return {
      issuer,
      apiURL,
      clock: { offset: Math.round(offset / 1000) * 1000, ...(isFrozen && { now }) },
      logins: recorder.logins.slice(-MAX_LOGINS).reverse().map(loginView),
      otherRequests: exchangeViews(otherRequests).reverse(),
      queuedFaults: faults.queued,
      grants: grantStates(grants, clock, recorder.list).slice(0, MAX_GRANTS),
      rates: rateWindows(grants, rates).filter(({ remaining, limit }) => remaining < limit),
      clients: clientStates(clients).slice(0, MAX_CLIENTS),
      clinicians: clinicianStates(accounts, sessions),
      keys: { current: keys.current, published: keys.published },
      findings,
    };
  };
}

/** @returns a function that returns the findings, and creates a report only after another request. */
function createFindings(recorder: ControlledProvider['recorder'], clients: ClientStore): () => readonly Finding[] {
  let last: RecordedRequest | undefined;
  let findings: readonly Finding[] = [];
  return function currentFindings() {
    const newest = recorder.list.at(-1);
    if (newest === last) return findings;
    last = newest;
    findings = reportOn(recorder.exchanges, clients).findings.filter(({ rule }) => rule !== REPEATED_RULE);
    return findings;
  };
}

function createExchangeViews({ issuer, problems }: ControlledProvider) {
  const problemsOf = new Map<number, Problem[]>();
  for (const problem of problems.list) {
    const others = problemsOf.get(problem.request);
    if (others) others.push(problem);
    else problemsOf.set(problem.request, [problem]);
  }
  return (requests: readonly RecordedRequest[]): ExchangeView[] =>
    requests.map((request) => exchangeViewOf(request, problemsOf.get(request.number) ?? [], issuer));
}
