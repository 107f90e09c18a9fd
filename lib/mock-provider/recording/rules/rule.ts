import type { Entry } from '../observation.js';
import type { Observed } from './exchange-index.js';

/** `error`: a login can be stolen, or fails. `warning`: it works, and should be better. */
export type Severity = 'error' | 'warning';

/** What breaks a rule: what was seen, and in which exchanges. */
export interface Breach {
  readonly what: string;
  readonly entries: readonly Entry[];
  /** What to change, and where it stands, when it is more than the rule says. */
  readonly cure?: string;
  readonly source?: string;
}

/** One thing that the report looks at. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  /** What holds for a good client. */
  readonly says: string;
  /** What to change in one that is not. */
  readonly cure: string;
  /** Where it stands: an RFC's section, or a part of the service spec. */
  readonly source: string;
  /** @returns undefined when nothing was seen that the rule is about; else what breaks it, and nothing when it holds. */
  readonly check: (observed: Observed) => readonly Breach[] | undefined;
}

/** @returns what breaks a rule that looks at one exchange at a time. */
export function each(
  about: readonly Entry[],
  isBroken: (entry: Entry) => boolean,
  what: string | ((broken: readonly Entry[]) => string),
): readonly Breach[] | undefined {
  if (about.length === 0) return undefined;
  const entries = about.filter(isBroken);
  if (entries.length === 0) return [];
  return [{ what: typeof what === 'string' ? what : what(entries), entries }];
}

/** @returns what breaks a rule that looks at several exchanges that have something in common; undefined keys have nothing. */
export function together(
  about: readonly Entry[],
  keyOf: (entry: Entry) => string | number | undefined,
  isBroken: (group: readonly Entry[]) => readonly Entry[],
  what: (broken: readonly Entry[]) => string,
): readonly Breach[] | undefined {
  if (about.length === 0) return undefined;
  const breaches: Breach[] = [];
  for (const group of grouped(about, keyOf).values()) {
    const entries = isBroken(group);
    if (entries.length > 0) breaches.push({ what: what(entries), entries });
  }
  return breaches;
}

export function grouped<K>(entries: readonly Entry[], keyOf: (entry: Entry) => K | undefined): Map<K, Entry[]> {
  const groups = new Map<K, Entry[]>();
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
export function ofSeveralLogins(group: readonly Entry[]): readonly Entry[] {
  return new Set(group.map(({ record }) => record.login)).size > 1 ? group : [];
}

/** How long it was from one exchange to another, in milliseconds: the provider's clock may stand still, or be moved. */
export function elapsed(from: Entry, to: Entry): number {
  return Math.max(to.record.at - from.record.at, to.seen.realTime - from.seen.realTime);
}

/** @returns the first run of exchanges, so many at least, each of which came within a time of the one so many before. */
export function burst(entries: readonly Entry[], most: number, milliseconds: number): readonly Entry[] {
  return entries.filter((entry, index) => {
    const before = entries[index - most];
    return before !== undefined && elapsed(before, entry) < milliseconds;
  });
}
