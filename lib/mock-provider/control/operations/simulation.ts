import type { FaultName } from '../../faults/catalogue.js';
import type { FaultOptions } from '../../faults/fault.js';
import { faultOptions } from '../../faults/fault-options.js';
import { type Duration, duration } from '../../options/duration.js';
import { flag, object, type Schema, text } from '../../options/schema.js';
import { badRequest } from '../control-error.js';
import { DONE, type Operation, operation } from '../operation.js';
import { clockState, knownFaults } from '../snapshot.js';

interface ClockMove {
  reset?: boolean;
  set?: number | string;
  advance?: Duration;
  freeze?: boolean;
}

const time: Schema<number | string> = {
  type: ['string', 'number'],
  check: (value) =>
    Number.isFinite(new Date(value).getTime()) ? undefined : 'must be milliseconds since 1970 or an ISO date.',
};

/** The operations on clock, faults and signing keys, and the reset of a provider. */
export const SIMULATION_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/clock',
    id: 'readClock',
    summary: 'The time of the provider',
    run: ({ clock }) => clockState(clock),
  }),
  operation({
    method: 'POST',
    path: '/clock',
    id: 'moveClock',
    summary:
      'Moves the clock: first reset, then set, then advance. With freeze: true it stops at that time, with false it runs.',
    body: {
      ...object<ClockMove>({}, { reset: flag, set: time, advance: duration, freeze: flag }),
      minProperties: 1,
    },
    example: { advance: '3 days' },
    run({ clock }, { body: { reset, freeze, set, advance } }) {
      if (reset) clock.reset();
      if (freeze === true) clock.freeze();
      if (set !== undefined) clock.set(set);
      if (advance !== undefined) clock.advance(advance);
      if (freeze === false) clock.resume();
      return clockState(clock);
    },
  }),
  operation({
    method: 'GET',
    path: '/faults',
    id: 'listFaults',
    summary: 'The queued faults and the catalogue',
    run: ({ faults }) => ({ queued: faults.queued, known: knownFaults() }),
  }),
  operation<FaultOptions & { name: string; always?: boolean }>({
    method: 'POST',
    path: '/faults',
    id: 'queueFault',
    summary: 'Queues a fault: for the next matching exchange, or for every one',
    body: {
      ...(faultOptions as Schema),
      properties: {
        name: text,
        always: flag,
        ...faultOptions.properties,
      },
      required: ['name'],
    },
    example: { name: 'badSignature' },
    run({ faults }, { body: { name, always, ...options } }) {
      if (always) faults.always(name as FaultName, options);
      else faults.next(name as FaultName, options);
      return DONE;
    },
  }),
  operation({
    method: 'DELETE',
    path: '/faults',
    id: 'clearFaults',
    summary: 'Removes the queued faults with a name, or all of them',
    query: { name: text },
    run({ faults }, { query: { name } }) {
      if (name === undefined) faults.clear();
      else if (faults.remove(name) === 0) {
        throw badRequest(`No fault ${JSON.stringify(name.slice(0, 100))} is queued. GET /_mock/faults lists them.`);
      }
      return DONE;
    },
  }),
  operation({
    method: 'POST',
    path: '/keys/rotate',
    id: 'rotateKeys',
    summary: 'Publishes the next signing key, and signs with it unless publishOnly is true',
    body: object<{ publishOnly?: boolean }>({}, { publishOnly: flag }),
    run: ({ keys }, { body: { publishOnly } }) => ({ kid: publishOnly ? keys.publish() : keys.rotate() }),
  }),
  operation({
    method: 'POST',
    path: '/reset',
    id: 'reset',
    summary: 'Deletes logins, tokens, faults and records, and resets the clock. Clients and added clinicians remain.',
    body: object<Record<never, never>>({}, {}),
    run(_provider, _input, actions) {
      actions.reset();
      return DONE;
    },
  }),
];
