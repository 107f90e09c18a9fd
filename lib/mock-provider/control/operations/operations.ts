import type { Operation } from '../operation.js';
import { ACCOUNT_OPERATIONS } from './accounts.js';
import { RECORD_OPERATIONS } from './records.js';
import { SIMULATION_OPERATIONS } from './simulation.js';

/** All operations of the control API. */
export const OPERATIONS: readonly Operation[] = [...SIMULATION_OPERATIONS, ...RECORD_OPERATIONS, ...ACCOUNT_OPERATIONS];
