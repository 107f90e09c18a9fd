import { clockState } from '../control/operations.js';
import type { ProviderInstance } from '../provider-instance.js';
import { reportOn } from '../recording/report.js';
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

/** @param fragment that of the page's address, which names what is open */
export function inspectorView(instance: ProviderInstance, fragment: string): InspectorView {
  const { issuer, clock, faults, recorder, clients } = instance;
  const { now, offset, isFrozen } = clockState(clock);
  const findings = reportOn(recorder.exchanges, clients).findings.filter(({ rule }) => rule !== REPEATED_RULE);
  const views = new LoginViews(instance, findings);
  const opened = views.open(fragment);
  return {
    issuer,
    clock: { offset: Math.round(offset / 1000) * 1000, ...(isFrozen && { now }) },
    logins: views.list(),
    otherRequests: views.otherRequests.length,
    ...(opened !== undefined && { opened }),
    faults: faults.queued.map(({ name }) => name),
  };
}
