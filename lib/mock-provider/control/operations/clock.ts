import * as actions from '../actions.js';
import type { Operation } from '../operation.js';
import * as schemas from '../schemas.js';
import { clockState } from '../snapshot.js';

/** The clock: what time it is, and moving it. */
export const clockOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/clock',
    id: 'readClock',
    summary: 'What time it is at the provider',
    answer: schemas.clockState,
    act: ({ clock }) => clockState(clock),
  },
  {
    method: 'POST',
    path: '/clock',
    id: 'moveClock',
    summary:
      'Moves the clock: reset, then set, then advance; with freeze it stands still exactly there, false lets it run on',
    body: {
      ...schemas.object({
        reset: schemas.flag,
        set: { type: ['string', 'number'] },
        advance: schemas.duration,
        freeze: schemas.flag,
      }),
      minProperties: 1,
    },
    example: { advance: '3 days' },
    answer: schemas.clockState,
    act(instance, { body }) {
      actions.moveClock(instance, body);
      return clockState(instance.clock);
    },
  },
];
