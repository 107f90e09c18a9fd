import { nearest } from '../option-check.js';
import { FAULT_NAMES, type FaultKind, type FaultName, faultKind, usualEndpoint } from './faults.js';

/** When a fault strikes. */
export interface FaultOptions {
  /** Only for this client. */
  client?: string;
  /** Only at this path, such as '/oauth/token'. @default the one where the fault makes sense */
  endpoint?: string;
  /** Not the next time, but the nth from now. @default 1 */
  nth?: number;
  /** For `delay`: how long, in milliseconds. @default 1000 */
  milliseconds?: number;
}

/** What a provider does wrong on command: `provider.faults`. All of it is gone after `reset()`. */
export interface Faults {
  /** Once, at the next chance. */
  next(name: FaultName, options?: FaultOptions): void;
  /** Every time, until `reset()`. */
  always(name: FaultName, options?: FaultOptions): void;
  clear(): void;
}

interface Waiting {
  name: FaultName;
  kind: FaultKind;
  options: FaultOptions;
  once: boolean;
  left: number;
}

export class FaultQueue implements Faults {
  #waiting: Waiting[] = [];

  next(name: FaultName, options: FaultOptions = {}): void {
    this.#add(name, options, true);
  }

  always(name: FaultName, options: FaultOptions = {}): void {
    this.#add(name, options, false);
  }

  clear(): void {
    this.#waiting = [];
  }

  /** @returns the fault of one kind that strikes now, and uses it up. */
  strike(
    kind: FaultKind,
    endpoint: string,
    clientID: string | undefined,
  ): { name: FaultName; options: FaultOptions } | undefined {
    for (const fault of this.#waiting) {
      const at = fault.options.endpoint ?? usualEndpoint(kind);
      if (fault.kind !== kind || (at !== undefined && at !== endpoint)) continue;
      if (fault.options.client !== undefined && fault.options.client !== clientID) continue;
      fault.left -= 1;
      if (fault.left > 0) continue;
      if (fault.once) this.#waiting.splice(this.#waiting.indexOf(fault), 1);
      return fault;
    }
    return undefined;
  }

  #add(name: FaultName, options: FaultOptions, once: boolean): void {
    const kind = faultKind(name);
    if (kind === undefined) {
      const meant = nearest(String(name), FAULT_NAMES);
      throw new TypeError(
        `There is no fault ${JSON.stringify(name)}. ${meant ? `Did you mean ${meant}?` : `There are: ${FAULT_NAMES.join(', ')}.`}`,
      );
    }
    this.#waiting.push({ name, kind, options, once, left: options.nth ?? 1 });
  }
}
