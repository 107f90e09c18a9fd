import { object, text, texts } from '../../options/schema.js';
import { CONTROL_PREFIX, type Operation, operation } from '../operation.js';
import { ACCOUNT_OPERATIONS } from './accounts.js';
import { GRANT_OPERATIONS } from './grants.js';
import { RECORD_OPERATIONS } from './records.js';
import { SIMULATION_OPERATIONS } from './simulation.js';

const DESCRIPTION_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/',
    id: 'listOperations',
    summary: 'The operations of this API',
    response: object<{ documentation: string; operations: readonly string[] }>(
      { documentation: text, operations: texts },
      {},
    ),
    run: () => ({
      documentation: `${CONTROL_PREFIX}/openapi.json`,
      operations: OPERATIONS.map(({ method, path, summary }) => `${method} ${CONTROL_PREFIX}${path}: ${summary}`),
    }),
  }),
  operation({
    method: 'GET',
    path: '/openapi.json',
    id: 'readOpenAPI',
    summary: 'This document',
    response: { type: 'object' },
    run: async () => {
      // Loaded on request, because only this operation needs it.
      const { default: document } = await import('../../../../docs/reference/mock-provider.openapi.json?text');
      return JSON.parse(document) as Record<string, unknown>;
    },
  }),
];

/** All operations of the control API. */
export const OPERATIONS: readonly Operation[] = [
  ...DESCRIPTION_OPERATIONS,
  ...SIMULATION_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...GRANT_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
];
