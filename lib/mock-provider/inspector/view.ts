import type { ControlledProvider } from '../control/operation.js';
import { clockState } from '../control/operations/simulation.js';
import type { RecordedRequest } from '../recording/recorded-request.js';
import { type Finding, reportOn } from '../recording/report.js';
import { type LoginSummary, LoginViews, type OpenedView } from './login-views.js';

/** Everything that the inspector's page shows. It contains no secret. */
export interface InspectorView {
  readonly issuer: string;
  /** `now` is set only while the clock is frozen: otherwise the view would change every second. */
  readonly clock: { readonly offset: number; readonly now?: number };
  /** The newest logins, the newest first. */
  readonly logins: readonly LoginSummary[];
  /** The number of requests without a login. */
  readonly otherRequests: number;
  /** Missing when nothing is recorded for the fragment. */
  readonly opened?: OpenedView;
  /** The names of the queued faults, in their order. */
  readonly faults: readonly string[];
}

/** This rule repeats the problems, which the inspector shows with their requests. */
const REPEATED_RULE = 'request-refused';

/** @returns a function that returns the current view; its parameter is the fragment of the page's address. */
export function createInspectorView(provider: ControlledProvider): (fragment: string) => InspectorView {
  const { issuer, clock, faults } = provider;
  const currentFindings = createFindings(provider);

  return function inspectorView(fragment) {
    const { now, offset, isFrozen } = clockState(clock);
    const views = new LoginViews(provider, currentFindings());
    const opened = views.open(fragment);
    return {
      issuer,
      clock: { offset: Math.round(offset / 1000) * 1000, ...(isFrozen && { now }) },
      logins: views.list(),
      otherRequests: views.otherRequests.length,
      ...(opened !== undefined && { opened }),
      faults: faults.queued.map(({ name }) => name),
    };
  };
}

/** @returns a function that returns the findings, and creates a report only after another request. */
function createFindings({ recorder, clients }: ControlledProvider): () => readonly Finding[] {
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
