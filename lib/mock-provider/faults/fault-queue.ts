import { closestName } from '../options/option-check.js';
import { FAULT_ALIASES, FAULT_NAMES, FAULTS, faultNamed } from './catalogue.js';
import type { FaultKind, FaultOptions } from './fault.js';
import type { FaultAlias, FaultName } from './fault-names.js';
import { checkFaultOptions } from './fault-options.js';

/** A fault that has been asked for and has not struck yet, or goes on striking. */
export interface QueuedFault {
  readonly name: FaultName;
  readonly options: Readonly<FaultOptions>;
  /** False for one that strikes every time. */
  readonly once: boolean;
  /** How many chances from now it strikes: 1 is the next. */
  readonly left: number;
}

/** What a provider does wrong on command: `provider.faults`. All of it is gone after `reset()`. */
export interface Faults {
  /** Once, at the next chance. Throws one sentence for a fault that there is not, or options that it cannot have. */
  next(name: FaultName | FaultAlias, options?: FaultOptions): void;
  /** Every time, until `reset()`. */
  always(name: FaultName | FaultAlias, options?: FaultOptions): void;
  clear(): void;
  /** What has been asked for and is still to come, the oldest first. */
  readonly queued: readonly QueuedFault[];
}

/** The exchange that a fault may apply to. */
export interface FaultContext {
  readonly endpoint: string;
  readonly client: string | undefined;
  readonly grantType?: string | undefined;
}

/** A fault that strikes now. */
export type MatchedFault = Pick<QueuedFault, 'name' | 'options'>;

/** What the provider is like, as far as it says which faults make sense. */
export interface FaultEnvironment {
  readonly issParameter: boolean;
  isClient(clientID: string): boolean;
}

export class FaultQueue implements Faults {
  readonly #circumstances: FaultEnvironment;
  #waiting: { name: FaultName; options: FaultOptions; once: boolean; left: number }[] = [];

  constructor(circumstances: FaultEnvironment) {
    this.#circumstances = circumstances;
  }

  next(name: FaultName | FaultAlias, options: FaultOptions = {}): void {
    this.#add(name, options, true);
  }

  always(name: FaultName | FaultAlias, options: FaultOptions = {}): void {
    this.#add(name, options, false);
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Takes back all that waits under a name, or another name of it. @returns how many that were */
  withdraw(given: string): number {
    const name = faultNamed(given);
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((fault) => fault.name !== name);
    return before - this.#waiting.length;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get queued(): readonly QueuedFault[] {
    return this.#waiting.map((fault) => ({ ...fault, options: { ...fault.options }, left: Math.max(1, fault.left) }));
  }

  /**
   * @param fits whether there is anything to spoil for a fault of this name
   * @returns the fault of one kind that strikes now, and uses it up.
   */
  take(
    kind: FaultKind,
    context: FaultContext,
    fits: (name: FaultName) => boolean = () => true,
  ): MatchedFault | undefined {
    const chances = this.#waiting.filter((fault) => isChance(fault, kind, context) && fits(fault.name));
    for (const fault of chances) fault.left -= 1;
    const due = chances.filter(({ left }) => left <= 0);
    const matched = due.find(({ once }) => once) ?? due[0];
    if (matched?.once) this.#waiting.splice(this.#waiting.indexOf(matched), 1);
    return matched;
  }

  /** @returns true when a fault of one kind, and of those names, is about to strike. */
  has(kind: FaultKind, context: FaultContext, isOneOf: (name: FaultName) => boolean = () => true): boolean {
    return this.#waiting.some((fault) => isChance(fault, kind, context) && isOneOf(fault.name));
  }

  #add(given: string, options: FaultOptions, once: boolean): void {
    const name = faultNamed(given);
    if (name === undefined) throw noSuchFault(given);
    const checked = checkFaultOptions(name, FAULTS[name], options);
    this.#refuseSenseless(name, checked.client);
    this.#waiting.push({ name, options: checked, once, left: checked.nth ?? 1 });
  }

  #refuseSenseless(name: FaultName, client: string | undefined): void {
    const { issParameter, isClient } = this.#circumstances;
    if (client !== undefined && !isClient(client)) {
      throw new TypeError(`The fault ${name}: there is no client ${JSON.stringify(client)}. Register it first.`);
    }
    if (name === 'missingIssParameter' && !issParameter) {
      throw new TypeError(`The fault ${name} needs a provider that sends iss: start it with { issParameter: true }.`);
    }
  }
}

function isChance(
  { name, options }: MatchedFault,
  kind: FaultKind,
  { endpoint, client, grantType }: FaultContext,
): boolean {
  const fault = FAULTS[name];
  const at = options.endpoint ?? fault.endpoint;
  const asked = options.grantType ?? fault.grantType;
  return (
    fault.kind === kind &&
    (at === undefined ? fault.endpoints.includes(endpoint) : at === endpoint) &&
    (options.client === undefined || options.client === client) &&
    (asked === undefined || asked === grantType)
  );
}

function noSuchFault(given: string): TypeError {
  const meant = closestName(String(given), [...FAULT_NAMES, ...FAULT_ALIASES]);
  const fix = meant === undefined ? `There are: ${FAULT_NAMES.join(', ')}.` : `Did you mean ${meant}?`;
  return new TypeError(`There is no fault ${JSON.stringify(given)}. ${fix}`);
}
