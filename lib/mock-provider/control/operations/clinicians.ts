import * as actions from '../actions.js';
import type { Operation } from '../operation.js';
import * as schemas from '../schemas.js';
import { withoutPassword } from '../snapshot.js';

/** Clinicians, and signing them in. */
export const clinicianOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/clinicians',
    id: 'listClinicians',
    summary: 'The clinicians as they are now',
    answer: schemas.object({ clinicians: schemas.list(schemas.clinician) }, ['clinicians']),
    act: ({ accounts }) => ({ clinicians: accounts.names().map((name) => withoutPassword(accounts.get(name))) }),
  },
  {
    method: 'POST',
    path: '/clinicians',
    id: 'addClinician',
    summary: 'Opens an account',
    body: schemas.clinicianToAdd,
    example: { username: 'alice', verified: true },
    status: 201,
    answer: schemas.clinician,
    act: (instance, { body }) => withoutPassword(actions.addClinician(instance, body)),
  },
  {
    method: 'PATCH',
    path: '/clinicians',
    id: 'updateClinician',
    summary: 'Changes the account with this username',
    body: schemas.clinicianChange,
    example: { username: 'pending', verified: true },
    answer: schemas.clinician,
    act: (instance, { body }) => withoutPassword(actions.updateClinician(instance, body)),
  },
  {
    method: 'POST',
    path: '/clinicians/sign-out',
    id: 'signOutEverywhere',
    summary: 'Ends the sessions of a clinician at the provider, in every browser; tokens stay',
    body: schemas.object({ username: schemas.text }, ['username']),
    example: { username: 'verified' },
    answer: schemas.object({ sessions: { ...schemas.count, description: 'How many ended.' } }, ['sessions']),
    act: (instance, { body }) => ({ sessions: actions.signOutEverywhere(instance, body) }),
  },
  {
    method: 'POST',
    path: '/sign-in',
    id: 'signIn',
    summary: 'Signs a clinician in without a browser',
    body: schemas.object(
      { authorizeURL: schemas.text, as: schemas.text, approve: schemas.list(schemas.text), deny: schemas.flag },
      ['authorizeURL', 'as'],
    ),
    example: { authorizeURL: 'http://127.0.0.1:4400/oauth/authorize?...', as: 'verified' },
    answer: schemas.object({ callback: { ...schemas.text, description: 'Where the browser is sent back to.' } }, [
      'callback',
    ]),
    act: async (_house, { body: { authorizeURL, ...person } }, handle) => ({
      callback: await handle.signIn(authorizeURL, person),
    }),
  },
];
