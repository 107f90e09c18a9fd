import * as actions from '../actions.js';
import type { Operation } from '../operation.js';
import * as schemas from '../schemas.js';

/** What goes wrong on command. */
export const faultOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/faults',
    id: 'queueFault',
    summary: 'Lets something go wrong: once, at the next chance, or always',
    body: schemas.object(
      {
        name: { ...schemas.text, description: 'As in provider.faults.next().' },
        always: { ...schemas.flag, description: 'Every time, until it is cleared.' },
        endpoint: { ...schemas.text, description: 'Only at this path, such as "/oauth/token".' },
        client: { ...schemas.text, description: 'Only for this clientID.' },
        nth: { ...schemas.count, description: 'Not the next time, but the nth from now.' },
        milliseconds: { ...schemas.count, description: 'For delay: how long.' },
      },
      ['name'],
    ),
    example: { name: 'badSignature' },
    answer: schemas.done,
    act(house, { body }) {
      actions.queueFault(house, body);
      return schemas.DONE;
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    id: 'clearFaults',
    summary: 'Nothing goes wrong any more',
    answer: schemas.done,
    act(house) {
      house.faults.clear();
      return schemas.DONE;
    },
  },
];
