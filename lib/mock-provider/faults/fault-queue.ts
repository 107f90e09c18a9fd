import { closestName } from '../../errors/closest-name.js';
import { DEFINITIONS, FAULT_NAMES, FAULTS, type FaultName } from './catalogue.js';
import type { FaultDefinition, FaultKind, FaultOptions } from './fault.js';
import { checkFaultOptions } from './fault-options.js';

/** A fault that has not applied yet, or that applies until it is removed. */
export interface QueuedFault {
  readonly name: FaultName;
  readonly options: Readonly<FaultOptions>;
  /** False for one that applies every time. */
  readonly once: boolean;
}

/** Queues the faults of a provider: `provider.faults`. `reset()` clears them. */
export interface Faults {
  /** Applies a fault once, to the next matching exchange. Throws a TypeError for an unknown name or an invalid option. */
  next(name: FaultName, options?: FaultOptions): void;
  /** Applies a fault to every matching exchange. Throws as {@link next}. */
  always(name: FaultName, options?: FaultOptions): void;
  clear(): void;
  /** The oldest first. */
  readonly queued: readonly QueuedFault[];
}

/** The exchange that a fault may apply to. */
export interface FaultContext {
  readonly endpoint: string;
  readonly client: string | undefined;
  readonly grantType?: string | undefined;
}

/** A queued fault with what it changes. */
export interface MatchedFault<Kind extends FaultKind> extends QueuedFault {
  readonly definition: FaultDefinition<Kind>;
}

type Applies<Kind extends FaultKind> = (definition: FaultDefinition<Kind>) => boolean;

/** The properties of a provider that decide which faults it accepts. */
interface FaultEnvironment {
  readonly issParameter: boolean;
  isClient(clientID: string): boolean;
}

export class FaultQueue implements Faults {
  readonly #environment: FaultEnvironment;
  #queued: MatchedFault<FaultKind>[] = [];

  constructor(environment: FaultEnvironment) {
    this.#environment = environment;
  }

  next(name: FaultName, options: FaultOptions = {}): void {
    this.#add(name, options, true);
  }

  always(name: FaultName, options: FaultOptions = {}): void {
    this.#add(name, options, false);
  }

  clear(): void {
    this.#queued = [];
  }

  /** Removes the queued faults with a name. @returns the number of removed faults */
  remove(name: string): number {
    const before = this.#queued.length;
    this.#queued = this.#queued.filter((fault) => fault.name !== name);
    return before - this.#queued.length;
  }

  get isEmpty(): boolean {
    return this.#queued.length === 0;
  }

  get queued(): readonly QueuedFault[] {
    return this.#queued.map(({ name, options, once }) => ({ name, options: { ...options }, once }));
  }

  /**
   * @param applies whether the exchange contains what a fault changes
   * @returns the fault of one kind that applies to an exchange
   */
  find<Kind extends FaultKind>(
    kind: Kind,
    context: FaultContext,
    applies: Applies<Kind> = () => true,
  ): MatchedFault<Kind> | undefined {
    const ofKind = this.#queued.filter(({ definition }) => definition.kind === kind) as MatchedFault<Kind>[];
    const matching = ofKind.filter((fault) => matches(fault, context) && applies(fault.definition));
    return matching.find(({ once }) => once) ?? matching[0];
  }

  /** Finds a fault to apply it now. One that applies once leaves the queue. */
  take<Kind extends FaultKind>(
    kind: Kind,
    context: FaultContext,
    applies?: Applies<Kind>,
  ): MatchedFault<Kind> | undefined {
    const found = this.find(kind, context, applies);
    if (found?.once) this.#queued = this.#queued.filter((fault) => fault !== found);
    return found;
  }

  #add(name: FaultName, options: FaultOptions, once: boolean): void {
    if (!Object.hasOwn(FAULTS, name)) throw unknownFault(name);
    const checked = checkFaultOptions(name, FAULTS[name], options);
    this.#checkEnvironment(name, checked.client);
    this.#queued.push({ name, options: checked, once, definition: DEFINITIONS[name] });
  }

  #checkEnvironment(name: FaultName, client: string | undefined): void {
    const { issParameter, isClient } = this.#environment;
    if (client !== undefined && !isClient(client)) {
      throw new TypeError(`The fault ${name}: there is no client ${JSON.stringify(client)}. Register it first.`);
    }
    if (name === 'missingIssParameter' && !issParameter) {
      throw new TypeError(
        `The fault ${name} requires a provider that sends iss: start it with { issParameter: true }.`,
      );
    }
  }
}

function matches({ name, options }: QueuedFault, { endpoint, client, grantType }: FaultContext): boolean {
  const fault = FAULTS[name];
  const path = options.endpoint ?? fault.endpoint;
  const requiredGrantType = options.grantType ?? fault.grantType;
  return (
    (path === '*' ? fault.endpoints.includes(endpoint) : path === endpoint) &&
    (options.client === undefined || options.client === client) &&
    (requiredGrantType === undefined || requiredGrantType === grantType)
  );
}

function unknownFault(name: string): TypeError {
  const closest = closestName(String(name), FAULT_NAMES);
  const fix = closest === undefined ? `The faults are: ${FAULT_NAMES.join(', ')}.` : `Did you mean ${closest}?`;
  return new TypeError(`There is no fault ${JSON.stringify(name)}. ${fix}`);
}
