import * as actions from './actions.js';
import type { Operation } from './operation.js';
import { requestsSince, waitForRequest } from './requests.js';
import * as schemas from './schemas.js';
import { object, text } from './schemas.js';
import { clockState, shownClinician } from './state.js';

const done = object({ done: { type: 'boolean' } }, ['done']);
const DONE = { done: true };
const requests = object({ requests: schemas.list(schemas.recordedRequest), next: schemas.count }, ['requests', 'next']);

const clock: readonly Operation[] = [
  {
    method: 'GET',
    path: '/clock',
    id: 'readClock',
    summary: 'What time it is at the provider',
    answer: schemas.clockState,
    act: (house) => clockState(house),
  },
  {
    method: 'POST',
    path: '/clock',
    id: 'moveClock',
    summary: 'Moves the clock: reset, then set, then advance, then freeze (false lets it run on)',
    body: {
      ...object({
        reset: schemas.flag,
        set: { type: ['string', 'number'] },
        advance: schemas.duration,
        freeze: schemas.flag,
      }),
      minProperties: 1,
      example: { advance: '3 days' },
    },
    answer: schemas.clockState,
    act(house, { body }) {
      actions.moveClock(house, body);
      return clockState(house);
    },
  },
];

const faults: readonly Operation[] = [
  {
    method: 'POST',
    path: '/faults',
    id: 'queueFault',
    summary: 'Lets something go wrong: once, at the next chance, or always',
    body: {
      ...object(
        {
          name: { ...text, description: 'As in provider.faults.next().' },
          always: { ...schemas.flag, description: 'Every time, until it is cleared.' },
          endpoint: { ...text, description: 'Only at this path, such as "/oauth/token".' },
          client: { ...text, description: 'Only for this clientID.' },
          nth: { ...schemas.count, description: 'Not the next time, but the nth from now.' },
          milliseconds: { ...schemas.count, description: 'For delay: how long.' },
        },
        ['name'],
      ),
      example: { name: 'badSignature' },
    },
    answer: done,
    act(house, { body }) {
      actions.queueFault(house, body);
      return DONE;
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    id: 'clearFaults',
    summary: 'Nothing goes wrong any more',
    answer: done,
    act(house) {
      house.faults.clear();
      return DONE;
    },
  },
];

const record: readonly Operation[] = [
  {
    method: 'GET',
    path: '/requests',
    id: 'listRequests',
    summary: 'What was asked and answered, secrets masked; with `wait`, as soon as one comes that fits',
    query: {
      since: { ...text, description: '`next` of an earlier answer: only what came after it.' },
      method: text,
      path: { ...text, description: 'The whole path, such as /oauth/token.' },
      status: text,
      client: { ...text, description: 'The clientID.' },
      wait: { ...text, description: 'Waits this long, such as "5 seconds", for one that fits; 30 seconds at most.' },
    },
    answer: requests,
    act: (house, { query }) => (query.wait === undefined ? requestsSince(house, query) : waitForRequest(house, query)),
  },
  {
    method: 'GET',
    path: '/problems',
    id: 'listProblems',
    summary: 'Why each refusal happened: reason, rule, source',
    answer: object({ problems: schemas.list(schemas.problem) }, ['problems']),
    act: ({ problems }) => ({ problems: problems.list }),
  },
];

const people: readonly Operation[] = [
  {
    method: 'GET',
    path: '/clinicians',
    id: 'listClinicians',
    summary: 'The clinicians as they are now',
    answer: object({ clinicians: schemas.list(schemas.clinician) }, ['clinicians']),
    act: ({ accounts }) => ({ clinicians: accounts.names().map((name) => shownClinician(accounts.get(name))) }),
  },
  {
    method: 'POST',
    path: '/clinicians',
    id: 'addClinician',
    summary: 'Opens an account',
    body: { ...schemas.clinicianToAdd, example: { username: 'alice', verified: true } },
    status: 201,
    answer: schemas.clinician,
    act: (house, { body }) => shownClinician(actions.addClinician(house, body)),
  },
  {
    method: 'PATCH',
    path: '/clinicians',
    id: 'updateClinician',
    summary: 'Changes the account with this username',
    body: { ...schemas.clinicianChange, example: { username: 'pending', verified: true } },
    answer: schemas.clinician,
    act: (house, { body }) => shownClinician(actions.updateClinician(house, body)),
  },
  {
    method: 'POST',
    path: '/sign-in',
    id: 'signIn',
    summary: 'Signs a clinician in without a browser',
    body: {
      ...object({ authorizeURL: text, as: text, approve: schemas.list(text), deny: schemas.flag }, [
        'authorizeURL',
        'as',
      ]),
      example: { authorizeURL: 'http://127.0.0.1:4400/oauth/authorize?...', as: 'verified' },
    },
    answer: object({ callback: { ...text, description: 'Where the browser is sent back to.' } }, ['callback']),
    act: async (_house, { body: { authorizeURL, ...person } }, handle) => ({
      callback: await handle.signIn(authorizeURL, person),
    }),
  },
];

const registrations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/clients',
    id: 'registerClient',
    summary: 'Registers an application, strictly',
    body: {
      ...schemas.clientToRegister,
      example: { flow: 'openid', redirectURIs: ['http://127.0.0.1:5001/callback'] },
    },
    status: 201,
    answer: schemas.registeredClient,
    act: (house, { body }) => actions.registerClient(house, body),
  },
  {
    method: 'PATCH',
    path: '/clients',
    id: 'changeClient',
    summary: 'Puts an application on the blacklist, or takes it off',
    body: {
      ...object({ clientID: text, blacklisted: schemas.flag }, ['clientID', 'blacklisted']),
      example: { clientID: 'ready-made-openid', blacklisted: true },
    },
    answer: done,
    act(house, { body }) {
      actions.changeClient(house, body);
      return DONE;
    },
  },
  {
    method: 'POST',
    path: '/keys/rotate',
    id: 'rotateKeys',
    summary: 'Signs with the next key from now on, or publishes it alone',
    body: object({ publishOnly: schemas.flag }),
    answer: object({ kid: text }, ['kid']),
    act: (house, { body }) => ({ kid: actions.rotateKeys(house, body) }),
  },
  {
    method: 'POST',
    path: '/reset',
    id: 'reset',
    summary: 'Forgets all that happened; clients and added clinicians stay',
    body: object({}),
    answer: done,
    act(_house, _asked, handle) {
      handle.reset();
      return DONE;
    },
  },
];

/** All that the control API does. */
export const OPERATIONS: readonly Operation[] = [...clock, ...faults, ...record, ...people, ...registrations];
