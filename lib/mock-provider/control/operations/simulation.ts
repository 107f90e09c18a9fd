import type { FaultName } from '../../faults/catalogue.js';
import type { FaultOptions } from '../../faults/fault.js';
import { faultOptions } from '../../faults/fault-options.js';
import { type Duration, duration } from '../../options/duration.js';
import { flag, object, type Schema, text } from '../../options/schema.js';
import { EXPECTED_TIME, epochMilliseconds, type MockClock } from '../../state/clock.js';
import { badRequest } from '../control-error.js';
import { DONE, type Operation, operation } from '../operation.js';

interface ClockMove {
  reset?: boolean;
  set?: number | string;
  advance?: Duration;
  freeze?: boolean;
}

interface ClockState {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly iso: string;
  readonly isFrozen: boolean;
  /** Milliseconds ahead of the machine's clock. */
  readonly offset: number;
}

const time: Schema<number | string> = {
  type: ['string', 'number'],
  check: (value) => (Number.isFinite(epochMilliseconds(value)) ? undefined : `must be ${EXPECTED_TIME}.`),
};

export function clockState(clock: MockClock): ClockState {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), isFrozen: clock.isFrozen, offset: Math.round(now - Date.now()) };
}

/** Moves the clock: first reset, then set, then advance. It stops at that time with freeze: true, and runs with false. */
export const MOVE_CLOCK: Operation = operation({
  method: 'POST',
  path: '/clock',
  body: object<ClockMove>({}, { reset: flag, set: time, advance: duration, freeze: flag }),
  run({ clock }, { body: { reset, freeze, set, advance } }) {
    if (reset) clock.reset();
    if (freeze === true) clock.freeze();
    if (set !== undefined) clock.set(set);
    if (advance !== undefined) clock.advance(advance);
    if (freeze === false) clock.resume();
    return clockState(clock);
  },
});

export const QUEUE_FAULT: Operation = operation<FaultOptions & { name: string; always?: boolean }>({
  method: 'POST',
  path: '/faults',
  body: {
    ...(faultOptions as Schema),
    properties: { name: text, always: flag, ...faultOptions.properties },
    required: ['name'],
  },
  run({ faults }, { body: { name, always, ...options } }) {
    if (always) faults.always(name as FaultName, options);
    else faults.next(name as FaultName, options);
    return { queued: faults.queued };
  },
});

export const REMOVE_FAULTS: Operation = operation({
  method: 'DELETE',
  path: '/faults',
  query: { name: text },
  run({ faults }, { query: { name } }) {
    if (name === undefined) faults.clear();
    else if (faults.remove(name) === 0) throw badRequest(`No fault ${JSON.stringify(name.slice(0, 100))} is queued.`);
    return { queued: faults.queued };
  },
});

export const RESET: Operation = operation({
  method: 'POST',
  path: '/reset',
  body: object<Record<never, never>>({}, {}),
  run(_provider, _input, actions) {
    actions.reset();
    return DONE;
  },
});

/** The operations on clock, faults and signing keys, and the reset of a provider. */
export const SIMULATION_OPERATIONS: readonly Operation[] = [
  MOVE_CLOCK,
  QUEUE_FAULT,
  REMOVE_FAULTS,
  operation({
    method: 'POST',
    path: '/keys/rotate',
    body: object<{ publishOnly?: boolean }>({}, { publishOnly: flag }),
    run: ({ keys }, { body: { publishOnly } }) => ({ kid: publishOnly ? keys.publish() : keys.rotate() }),
  }),
  RESET,
];
