import { count, object, oneOf, type Schema, text } from '../../options/schema.js';
import { readValue, VALUE_PARTS, type ValuePart } from '../../recording/exchange-values.js';
import { reportOn } from '../../recording/report.js';
import { ControlError } from '../control-error.js';
import { type Operation, operation } from '../operation.js';
import { listRequests, wholeNumber } from '../requests.js';

const path: Schema<string> = {
  ...text,
  check: (value) => (value.startsWith('/') ? undefined : 'must start with a slash, as in /oauth/token.'),
};

/** The operations on recorded requests and what follows from them. */
export const RECORD_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/requests',
    id: 'listRequests',
    summary: 'The recorded requests, secrets masked; with `wait` it waits for the first match',
    query: {
      since: text,
      method: text,
      path,
      status: text,
      client: text,
      wait: text,
    },
    run: ({ recorder }, { query }) => listRequests(recorder.list, query),
  }),
  operation<{ request: number; part: ValuePart; name: string }>({
    method: 'POST',
    path: '/requests/value',
    id: 'showValue',
    summary:
      'One masked value of a recent request, such as a token, for programs on this machine only. Passwords are never shown.',
    isLocal: true,
    body: object({ request: count({ minimum: 1 }), part: oneOf(...VALUE_PARTS), name: text }, {}),
    example: { request: 1, part: 'query', name: 'state' },
    run({ recorder }, { body: { request, part, name } }) {
      const exchange = recorder.unmasked(request);
      const value = exchange && readValue(exchange, part, name);
      if (value !== undefined) return { value };
      throw new ControlError(
        404,
        'not_found',
        exchange === undefined
          ? `The values of request ${request} are not stored: only those of the newest requests are, if no other machine reaches the provider.`
          : `Request ${request} has no value of this name that can be shown.`,
      );
    },
  }),
  operation({
    method: 'GET',
    path: '/problems',
    id: 'listProblems',
    summary: 'The reason for each refused request, with the rule and its source',
    run: ({ problems }) => ({ problems: problems.list }),
  }),
  operation({
    method: 'GET',
    path: '/report',
    id: 'readReport',
    summary: 'The findings about the client under test',
    run: ({ recorder, clients }) => reportOn(recorder.exchanges, clients),
  }),
  operation({
    method: 'GET',
    path: '/trace',
    id: 'readTrace',
    summary: 'The recorded requests of one login, or of all, as a Mermaid sequence diagram',
    query: { login: text },
    run: (_provider, { query: { login } }, actions) =>
      actions.trace(login === undefined ? {} : { login: wholeNumber(login, 'login') }),
  }),
];
