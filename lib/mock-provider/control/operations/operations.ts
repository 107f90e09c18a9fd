import { type Schema, text } from '../../options/schema.js';
import { reportOn } from '../../recording/report.js';
import { type Operation, operation } from '../operation.js';
import { listRequests, wholeNumber } from '../requests.js';
import { ACCOUNT_OPERATIONS } from './accounts.js';
import { SIMULATION_OPERATIONS } from './simulation.js';

const path: Schema<string> = {
  ...text,
  check: (value) => (value.startsWith('/') ? undefined : 'must start with a slash, as in /oauth/token.'),
};

/** The operations on recorded requests and what follows from them. */
const RECORD_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/requests',
    query: { since: text, method: text, path, status: text, client: text, wait: text },
    run: ({ recorder }, { query }) => listRequests(recorder.list, query),
  }),
  operation({
    method: 'GET',
    path: '/problems',
    run: ({ problems }) => ({ problems: problems.list }),
  }),
  operation({
    method: 'GET',
    path: '/report',
    run: ({ recorder, clients }) => reportOn(recorder.exchanges, clients),
  }),
  operation({
    method: 'GET',
    path: '/trace',
    query: { login: text },
    run: (_provider, { query: { login } }, actions) =>
      actions.trace(login === undefined ? {} : { login: wholeNumber(login, 'login') }),
  }),
];

/** All operations of the control API. */
export const OPERATIONS: readonly Operation[] = [...SIMULATION_OPERATIONS, ...RECORD_OPERATIONS, ...ACCOUNT_OPERATIONS];
