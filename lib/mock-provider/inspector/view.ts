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
import { defaultClients } from '../options/default-clients.js';
import type { RecordedRequest } from '../recording/recorded-request.js';
import { type Finding, reportOn } from '../recording/report.js';
import type { ClientStore } from '../state/clients.js';
import type { Keys } from '../state/keys.js';
import { type LoginSummary, LoginViews, type OpenedView, type Selection } from './login-views.js';

/** A client. The secrets of the default clients are the same in every installation. */
export type ClientView = ClientState & { readonly publishedSecret?: string };

/** Everything that the inspector's page shows. It contains no secret that is not published. */
export interface InspectorView {
  readonly issuer: string;
  readonly apiURL: string;
  /** `now` is set only while the clock is frozen: otherwise the view would change every second. */
  readonly clock: { readonly offset: number; readonly now?: number };
  /** The newest logins that match the filters, the newest first. */
  readonly logins: readonly LoginSummary[];
  /** False before the first login. */
  readonly hasLogins: boolean;
  /** True when the provider refused a request. */
  readonly hasRefusals: boolean;
  /** The number of requests without a login. */
  readonly otherRequests: number;
  /** Missing when nothing matches the selection. */
  readonly opened?: OpenedView;
  readonly queuedFaults: readonly QueuedFault[];
  readonly grants: readonly GrantState[];
  /** Of the clinicians who sent at least one request. */
  readonly rates: readonly RateWindow[];
  readonly clients: readonly ClientView[];
  readonly clinicians: readonly ClinicianState[];
  readonly keys: Pick<Keys, 'current' | 'published'>;
  /** The findings of the report. */
  readonly findings: readonly Finding[];
}

/** This rule repeats the problems, which the inspector shows with their requests. */
const REPEATED_RULE = 'request-refused';
const MAX_GRANTS = 40;
const MAX_CLIENTS = 50;

/** @returns a function that returns the current view of a selection. */
export function createInspectorView(provider: ControlledProvider): (selection: Selection) => InspectorView {
  const { issuer, apiURL, clock, keys, clients, accounts, sessions, grants, rates, faults, recorder } = provider;
  const currentFindings = createFindings(recorder, clients);

  return function inspectorView(selection) {
    const { now, offset, isFrozen } = clockState(clock);
    const findings = currentFindings();
    const views = new LoginViews(provider, findings);
    const logins = views.list(selection);
    const opened = views.open(selection, logins[0]?.login);
    return {
      issuer,
      apiURL,
      clock: { offset: Math.round(offset / 1000) * 1000, ...(isFrozen && { now }) },
      logins,
      hasLogins: views.hasLogins,
      hasRefusals: provider.problems.list.length > 0,
      otherRequests: views.otherRequests.length,
      ...(opened !== undefined && { opened }),
      queuedFaults: faults.queued,
      grants: grantStates(grants, clock, recorder.list).slice(0, MAX_GRANTS),
      rates: rateWindows(grants, rates).filter(({ remaining, limit }) => remaining < limit),
      clients: clientStates(clients).slice(0, MAX_CLIENTS).map(withPublishedSecret),
      clinicians: clinicianStates(accounts, sessions),
      keys: { current: keys.current, published: keys.published },
      findings,
    };
  };
}

function withPublishedSecret(client: ClientState): ClientView {
  const { clientID, clientSecret } = defaultClients[client.flow];
  return client.clientID === clientID ? { ...client, publishedSecret: clientSecret } : client;
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
