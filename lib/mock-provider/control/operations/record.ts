import { reportOn } from '../../recording/report.js';
import type { Operation } from '../operation.js';
import { listRequests, wholeNumber } from '../requests.js';
import * as schemas from '../schemas.js';

/** What happened. */
export const recordOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/requests',
    id: 'listRequests',
    summary: 'What was asked and answered, secrets masked; with `wait`, as soon as one comes that fits',
    query: {
      since: { ...schemas.text, description: '`next` of an earlier answer: only what came after it.' },
      method: schemas.text,
      path: { ...schemas.text, description: 'The whole path, such as /oauth/token.' },
      status: schemas.text,
      client: { ...schemas.text, description: 'The clientID.' },
      wait: {
        ...schemas.text,
        description: 'Waits this long, such as "5 seconds", for one that fits; 30 seconds at most.',
      },
    },
    answer: schemas.object({ requests: schemas.list(schemas.recordedRequest), next: schemas.count }, [
      'requests',
      'next',
    ]),
    act: ({ recorder }, { query }) => listRequests(recorder.list, query),
  },
  {
    method: 'GET',
    path: '/problems',
    id: 'listProblems',
    summary: 'Why each refusal happened: reason, rule, source',
    answer: schemas.object({ problems: schemas.list(schemas.problem) }, ['problems']),
    act: ({ problems }) => ({ problems: problems.list }),
  },
  {
    method: 'GET',
    path: '/report',
    id: 'readReport',
    summary: 'What the linter says of the client under test',
    answer: schemas.report,
    act: ({ recorder, clients }) => reportOn(recorder.exchanges, clients),
  },
  {
    method: 'GET',
    path: '/trace',
    id: 'readTrace',
    summary: 'The recorded exchange as a Mermaid sequence, of one login or of all',
    query: { login: { ...schemas.text, description: 'As GET /_mock/requests counts them.' } },
    answer: 'text',
    act: (_house, { query: { login } }, handle) =>
      handle.trace(login === undefined ? {} : { login: wholeNumber(login, 'login') }),
  },
];
