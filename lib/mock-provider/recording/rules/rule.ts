import { groupBy } from '../group-by.js';
import type { RecordedExchange } from '../observation.js';
import type { ExchangeIndex } from './exchange-index.js';

/**
 * Names the severity of a finding. `error`: a login fails or can be hijacked. `warning`: the client works, but should be
 * improved, or the service may refuse it.
 */
export type Severity = 'error' | 'warning';

/** A violation of a rule, with the exchanges in which it was seen. */
export interface Violation {
  readonly what: string;
  readonly exchanges: readonly RecordedExchange[];
  /** Replaces the fix of the rule. */
  readonly fix?: string;
  /** Replaces the source of the rule. */
  readonly source?: string;
}

/** Defines one rule of the report. */
export interface ReportRule {
  /** Kebab-case, names the violation. Differs from the ids in protocol/rules.ts, which name requirements. */
  readonly id: string;
  readonly severity: Severity;
  /** What a correct client does. */
  readonly requirement: string;
  /** What to change in a client that does not. */
  readonly fix: string;
  /** The section of an RFC, or the part of the service specification, that the rule follows. */
  readonly source: string;
  /** @returns the violations, or undefined when no exchange concerns the rule. */
  readonly check: (index: ExchangeIndex) => readonly Violation[] | undefined;
}

type Exchanges = readonly RecordedExchange[];
type FindViolating = (exchanges: Exchanges) => Exchanges;
type Description = string | ((violating: Exchanges) => string);

/** @returns the parameters of the query and of the form. */
export function sentParameters({ record: { query, form } }: RecordedExchange): Readonly<Record<string, string>> {
  return { ...query, ...form };
}

/** Checks the exchanges that concern a rule together: the ones that `findViolating` returns are one violation. */
export function checkAll(
  exchanges: Exchanges,
  findViolating: FindViolating,
  what: Description,
): readonly Violation[] | undefined {
  if (exchanges.length === 0) return undefined;
  const violating = findViolating(exchanges);
  if (violating.length === 0) return [];
  return [{ what: typeof what === 'string' ? what : what(violating), exchanges: violating }];
}

/** Checks the exchanges that concern a rule one by one: the violating ones are one violation. */
export function checkEach(
  exchanges: Exchanges,
  isViolating: (exchange: RecordedExchange) => boolean,
  what: Description,
): readonly Violation[] | undefined {
  return checkAll(exchanges, (all) => all.filter(isViolating), what);
}

/** Checks the exchanges that share a key together: one violation for each group. An undefined key is in no group. */
export function checkGroups(
  exchanges: Exchanges,
  keyOf: (exchange: RecordedExchange) => string | number | undefined,
  findViolating: FindViolating,
  what: Description,
): readonly Violation[] | undefined {
  if (exchanges.length === 0) return undefined;
  const groups = groupBy(exchanges, keyOf).values();
  return [...groups].flatMap((group) => checkAll(group, findViolating, what) ?? []);
}

/** @returns the exchanges of a group that spans several logins, otherwise none. */
export function ofSeveralLogins(group: Exchanges): Exchanges {
  return new Set(group.map(({ record }) => record.login)).size > 1 ? group : [];
}

/** @returns each exchange that follows less than `withinMs` after the one `max` places before it. */
export function findBurst(exchanges: Exchanges, max: number, withinMs: number): Exchanges {
  return exchanges.filter((exchange, index) => {
    const before = exchanges[index - max];
    return before !== undefined && elapsedMs(before, exchange) < withinMs;
  });
}

/** @returns the greater of the times by the provider's clock and by the machine's clock: the provider's may be frozen or moved. */
export function elapsedMs(from: RecordedExchange, to: RecordedExchange): number {
  return Math.max(to.record.at - from.record.at, to.observation.monotonicMs - from.observation.monotonicMs);
}
