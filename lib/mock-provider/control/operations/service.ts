import * as actions from '../actions.js';
import { grantStates, rateWindows } from '../grant-state.js';
import type { Operation } from '../operation.js';
import * as schemas from '../schemas.js';
import { clientStates } from '../snapshot.js';

/** Applications, signing keys, and all of it anew. */
export const serviceOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/clients',
    id: 'registerClient',
    summary: 'Registers an application, strictly',
    body: schemas.clientToRegister,
    example: { flow: 'openid', redirectURIs: ['http://127.0.0.1:5001/callback'] },
    status: 201,
    answer: schemas.registeredClient,
    act: (instance, { body }) => actions.registerClient(instance, body),
  },
  {
    method: 'PATCH',
    path: '/clients',
    id: 'changeClient',
    summary: 'Puts an application on the blacklist, or takes it off',
    body: schemas.object({ clientID: schemas.text, blacklisted: schemas.flag }, ['clientID', 'blacklisted']),
    example: { clientID: 'ready-made-openid', blacklisted: true },
    answer: schemas.done,
    act(instance, { body }) {
      actions.changeClient(instance, body);
      return schemas.DONE;
    },
  },
  {
    method: 'GET',
    path: '/clients',
    id: 'listClients',
    summary: 'The registered applications, without their secrets',
    answer: schemas.object({ clients: schemas.list(schemas.clientState) }, ['clients']),
    act: ({ clients }) => ({ clients: clientStates(clients) }),
  },
  {
    method: 'GET',
    path: '/grants',
    id: 'listGrants',
    summary: 'Codes and token pairs with their states, the newest first; by numbers, never by what they are',
    answer: schemas.object({ grants: schemas.list(schemas.grantState), rates: schemas.list(schemas.rateWindow) }, [
      'grants',
      'rates',
    ]),
    act: ({ grants, clock, recorder, rates }) => ({
      grants: grantStates(grants, clock, recorder.list),
      rates: rateWindows(grants, rates),
    }),
  },
  {
    method: 'POST',
    path: '/grants/revoke',
    id: 'revokeGrant',
    summary: 'Revokes the code or the tokens of one grant',
    body: schemas.object({ grant: { ...schemas.count, description: 'Its number.' } }, ['grant']),
    example: { grant: 1 },
    answer: schemas.done,
    act(instance, { body }) {
      actions.revokeGrant(instance, body);
      return schemas.DONE;
    },
  },
  {
    method: 'POST',
    path: '/keys/rotate',
    id: 'rotateKeys',
    summary: 'Signs with the next key from now on, or publishes it alone',
    body: schemas.object({ publishOnly: schemas.flag }),
    answer: schemas.object({ kid: schemas.text }, ['kid']),
    act: (instance, { body }) => ({ kid: actions.rotateKeys(instance, body) }),
  },
  {
    method: 'POST',
    path: '/reset',
    id: 'reset',
    summary: 'Forgets all that happened; clients and added clinicians stay',
    body: schemas.object({}),
    answer: schemas.done,
    act(_house, _asked, handle) {
      handle.reset();
      return schemas.DONE;
    },
  },
];
