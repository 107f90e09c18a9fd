import { CONTROL_PREFIX, type Operation, operation } from '../operation.js';
import { ACCOUNT_OPERATIONS } from './accounts.js';
import { GRANT_OPERATIONS } from './grants.js';
import { RECORD_OPERATIONS } from './records.js';
import { SIMULATION_OPERATIONS } from './simulation.js';

const INDEX = operation({
  method: 'GET',
  path: '/',
  id: 'listOperations',
  summary: 'The operations of this API',
  run: () => ({
    operations: OPERATIONS.map(({ method, path, summary }) => `${method} ${CONTROL_PREFIX}${path}: ${summary}`),
  }),
});

/** All operations of the control API. */
export const OPERATIONS: readonly Operation[] = [
  INDEX,
  ...SIMULATION_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...GRANT_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
];
