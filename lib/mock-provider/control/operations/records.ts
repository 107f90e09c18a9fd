import { list, object, text } from '../../options/schema.js';
import type { Problem } from '../../recording/problems.js';
import { reportOn } from '../../recording/report.js';
import { type Operation, operation } from '../operation.js';
import { listRequests, type RequestList, wholeNumber } from '../requests.js';
import * as schemas from '../schemas.js';

/** Lists the operations on recorded requests and what follows from them. */
export const RECORD_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/requests',
    id: 'listRequests',
    summary: 'The recorded requests, secrets masked; with `wait` it waits for the first match',
    query: {
      since: { ...text, description: '`next` of an earlier response: lists only later requests.' },
      method: text,
      path: { ...text, description: 'The complete path, such as /oauth/token.' },
      status: text,
      client: { ...text, description: 'The clientID.' },
      wait: { ...text, description: 'Waits this long for a match, such as "5 seconds"; at most 30 seconds.' },
    },
    response: object<RequestList>({ requests: list(schemas.recordedRequest), next: schemas.count }, {}),
    run: ({ recorder }, { query }) => listRequests(recorder.list, query),
  }),
  operation({
    method: 'GET',
    path: '/problems',
    id: 'listProblems',
    summary: 'The reason for each refused request, with the rule and its source',
    response: object<{ problems: readonly Problem[] }>({ problems: list(schemas.problem) }, {}),
    run: ({ problems }) => ({ problems: problems.list }),
  }),
  operation({
    method: 'GET',
    path: '/report',
    id: 'readReport',
    summary: 'The findings about the client under test',
    response: schemas.report,
    run: ({ recorder, clients }) => reportOn(recorder.exchanges, clients),
  }),
  operation({
    method: 'GET',
    path: '/trace',
    id: 'readTrace',
    summary: 'The recorded requests of one login, or of all, as a Mermaid sequence diagram',
    query: { login: { ...text, description: 'A login number of GET /_mock/requests.' } },
    response: 'text',
    run: (_provider, { query: { login } }, actions) =>
      actions.trace(login === undefined ? {} : { login: wholeNumber(login, 'login') }),
  }),
];
