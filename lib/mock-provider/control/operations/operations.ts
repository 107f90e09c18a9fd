import type { Operation } from '../operation.js';
import { clinicianOperations } from './clinicians.js';
import { clockOperations } from './clock.js';
import { faultOperations } from './faults.js';
import { recordOperations } from './record.js';
import { sandboxOperations } from './sandboxes.js';
import { serviceOperations } from './service.js';

/** All that the control API does, and what its OpenAPI document is made of. */
export const OPERATIONS: readonly Operation[] = [
  ...clockOperations,
  ...faultOperations,
  ...recordOperations,
  ...clinicianOperations,
  ...serviceOperations,
  ...sandboxOperations,
];
