import type { GrantState, RateWindow } from '../control/grant-state.js';
import { type ClientState, type ClinicianState, type InstanceSnapshot, instanceSnapshot } from '../control/snapshot.js';
import type { QueuedFault } from '../faults/fault-queue.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Problem } from '../recording/problems.js';
import type { RecordedLogin } from '../recording/recorded-request.js';
import { type Finding, reportOn } from '../recording/report.js';
import { type ExchangeView, exchangeViewOf } from './exchange-view.js';
import { type LoginStatus, loginStatusOf } from './login-status.js';

/** One login as the inspector shows it. */
export interface LoginView {
  readonly login: number;
  readonly clientID?: string;
  readonly flow?: string;
  readonly clinician?: string;
  readonly startedAt: number;
  readonly verdict: LoginStatus;
  readonly steps: readonly ExchangeView[];
  /** What the linter says of the requests that were refused. */
  readonly findings: readonly Finding[];
  /** How many earlier steps are not shown. */
  readonly more: number;
}

/** All that the inspector's page shows; no secret is in it. */
export interface InspectorView {
  readonly issuer: string;
  /** `now` stands there only while the clock stands still: what changes by itself would be news each second. */
  readonly clock: { readonly offset: number; readonly now?: number };
  /** The newest first. */
  readonly logins: readonly LoginView[];
  readonly others: readonly ExchangeView[];
  readonly queuedFaults: readonly QueuedFault[];
  readonly grants: readonly GrantState[];
  readonly rates: readonly RateWindow[];
  readonly clients: readonly ClientState[];
  readonly clinicians: readonly ClinicianState[];
  readonly keys: InstanceSnapshot['keys'];
  /** What the linter says of the client under test. */
  readonly findings: readonly Finding[];
}

/** The rule that repeats what was refused, which stands with its login. */
const TOLD_WITH_THE_LOGIN = 'request-refused';
const MOST_LOGINS = 25;
const MOST_STEPS = 40;
const MOST_OTHERS = 20;
const MOST_GRANTS = 40;
const MOST_CLIENTS = 50;

export function inspectorView(instance: ProviderInstance): InspectorView {
  const { issuer, clock, logins, otherRequests, problems, grants, rates, clients, clinicians, keys, queuedFaults } =
    instanceSnapshot(instance);
  const findings = findingsOf(instance);
  const byRequest = new Map<number, Problem[]>();
  for (const problem of problems) byRequest.set(problem.request, [...(byRequest.get(problem.request) ?? []), problem]);
  const steps = (requests: RecordedLogin['requests']) =>
    requests.map((request) => exchangeViewOf(request, byRequest.get(request.number) ?? [], issuer));
  const viewOf = (login: RecordedLogin): LoginView => {
    const all = steps(login.requests);
    const { requests: _, outcome: __, ...who } = login;
    const flow = clients.find(({ clientID }) => clientID === login.clientID)?.flow;
    const verdict = loginStatusOf(login, all, clock.now);
    const more = Math.max(0, all.length - MOST_STEPS);
    const refused = all.filter((step) => step.problems.length > 0);
    const about = findings.filter(({ requests }) => refused.some(({ number }) => requests.includes(number)));
    return {
      ...who,
      ...(flow !== undefined && { flow }),
      verdict,
      steps: all.slice(-MOST_STEPS),
      findings: about,
      more,
    };
  };
  return {
    issuer,
    clock: { offset: Math.round(clock.offset / 1000) * 1000, ...(clock.isFrozen && { now: clock.now }) },
    logins: logins.slice(-MOST_LOGINS).reverse().map(viewOf),
    others: steps(otherRequests.slice(-MOST_OTHERS)).reverse(),
    queuedFaults,
    grants: grants.slice(0, MOST_GRANTS),
    rates: rates.filter(({ remaining, limit }) => remaining < limit),
    clients: clients.slice(0, MOST_CLIENTS),
    clinicians,
    keys,
    findings,
  };
}

const known = new WeakMap<ProviderInstance, { upTo: number; findings: readonly Finding[] }>();

/** Looked for anew only when something has been asked. */
function findingsOf(instance: ProviderInstance): readonly Finding[] {
  const { recorder, clients } = instance;
  const upTo = recorder.list.at(-1)?.number ?? 0;
  const before = known.get(instance);
  if (before?.upTo === upTo) return before.findings;
  const findings = reportOn(recorder.exchanges, clients).findings.filter(({ rule }) => rule !== TOLD_WITH_THE_LOGIN);
  known.set(instance, { upTo, findings });
  return findings;
}
