import * as actions from '../actions.js';
import type { Operation } from '../operation.js';
import * as schemas from '../schemas.js';
import { knownFaults } from '../snapshot.js';

/** What goes wrong on command. */
export const faultOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/faults',
    id: 'listFaults',
    summary: 'What is about to go wrong, and all that can',
    answer: schemas.object({ queued: schemas.list(schemas.queuedFault), known: schemas.list(schemas.knownFault) }, [
      'queued',
      'known',
    ]),
    act: (instance) => ({ queued: instance.faults.queued, known: knownFaults() }),
  },
  {
    method: 'POST',
    path: '/faults',
    id: 'queueFault',
    summary: 'Lets something go wrong: once, at the next chance, or always',
    body: schemas.object(
      {
        name: { ...schemas.text, description: 'As GET /_mock/faults lists them; an alias will do.' },
        always: { ...schemas.flag, description: 'Every time, until it is cleared.' },
        ...schemas.faultOptions.properties,
      },
      ['name'],
    ),
    example: { name: 'badSignature' },
    answer: schemas.done,
    act(instance, { body }) {
      actions.queueFault(instance, body);
      return schemas.DONE;
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    id: 'clearFaults',
    summary: 'Takes back what waits under a name, or everything',
    query: { name: schemas.text },
    answer: schemas.done,
    act(instance, { query: { name } }) {
      actions.clearFaults(instance, name);
      return schemas.DONE;
    },
  },
];
