import type { RecordedExchange } from '../observation.js';
import type { ExchangeIndex } from './exchange-index.js';

/** `error`: a login can be stolen, or fails. `warning`: it works, and should be better. */
export type Severity = 'error' | 'warning';

/** What breaks a rule: what was seen, and in which exchanges. */
export interface Violation {
  readonly what: string;
  readonly entries: readonly RecordedExchange[];
  /** What to change, and where it stands, when it is more than the rule says. */
  readonly fix?: string;
  readonly source?: string;
}

/** One thing that the report looks at. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  /** What holds for a good client. */
  readonly requirement: string;
  /** What to change in one that is not. */
  readonly fix: string;
  /** Where it stands: an RFC's section, or a part of the service spec. */
  readonly source: string;
  /** @returns undefined when nothing was seen that the rule is about; else what breaks it, and nothing when it holds. */
  readonly check: (observed: ExchangeIndex) => readonly Violation[] | undefined;
}

/** @returns what breaks a rule that looks at one exchange at a time. */
export function checkEach(
  about: readonly RecordedExchange[],
  isBroken: (entry: RecordedExchange) => boolean,
  what: string | ((broken: readonly RecordedExchange[]) => string),
): readonly Violation[] | undefined {
  if (about.length === 0) return undefined;
  const entries = about.filter(isBroken);
  if (entries.length === 0) return [];
  return [{ what: typeof what === 'string' ? what : what(entries), entries }];
}

/** @returns what breaks a rule that looks at several exchanges that have something in common; undefined keys have nothing. */
export function checkGroups(
  about: readonly RecordedExchange[],
  keyOf: (entry: RecordedExchange) => string | number | undefined,
  isBroken: (group: readonly RecordedExchange[]) => readonly RecordedExchange[],
  what: (broken: readonly RecordedExchange[]) => string,
): readonly Violation[] | undefined {
  if (about.length === 0) return undefined;
  const breaches: Violation[] = [];
  for (const group of grouped(about, keyOf).values()) {
    const entries = isBroken(group);
    if (entries.length > 0) breaches.push({ what: what(entries), entries });
  }
  return breaches;
}

export function grouped<K>(
  entries: readonly RecordedExchange[],
  keyOf: (entry: RecordedExchange) => K | undefined,
): Map<K, RecordedExchange[]> {
  const groups = new Map<K, RecordedExchange[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

/** @returns the exchanges of a group, when they are of more logins than one. */
export function ofSeveralLogins(group: readonly RecordedExchange[]): readonly RecordedExchange[] {
  return new Set(group.map(({ record }) => record.login)).size > 1 ? group : [];
}

/** How long it was from one exchange to another, in milliseconds: the provider's clock may stand still, or be moved. */
export function elapsed(from: RecordedExchange, to: RecordedExchange): number {
  return Math.max(to.record.at - from.record.at, to.seen.realTime - from.seen.realTime);
}

/** @returns the first run of exchanges, so many at least, each of which came within a time of the one so many before. */
export function burst(
  entries: readonly RecordedExchange[],
  most: number,
  milliseconds: number,
): readonly RecordedExchange[] {
  return entries.filter((entry, index) => {
    const before = entries[index - most];
    return before !== undefined && elapsed(before, entry) < milliseconds;
  });
}
