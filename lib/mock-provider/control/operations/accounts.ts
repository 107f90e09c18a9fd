import { clientRegistration } from '../../options/client-registration.js';
import { type ClinicianChanges, clinicianOptions } from '../../options/clinician-options.js';
import { flag, object, omit, type Schema, text, texts } from '../../options/schema.js';
import { badRequest } from '../control-error.js';
import { DONE, type Operation, operation } from '../operation.js';
import { clientStates, withoutPassword } from '../snapshot.js';

const url: Schema<string> = {
  ...text,
  check: (value) => (URL.canParse(value) ? undefined : 'must be a URL.'),
};

/** The argument of `provider.clinicians.update()`, with the username. */
const clinicianChange: Schema = { ...omit(clinicianOptions, ['id', 'sub']), required: ['username'] };

function requireAddress(issuer: string, name: string, address: string): void {
  if (new URL(address).origin !== new URL(issuer).origin) throw badRequest(`${name} must be an address of ${issuer}.`);
}

/** The operations on clinicians, their sessions, and clients. */
export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/clinicians',
    id: 'listClinicians',
    summary: 'All clinicians, without their passwords',
    run: ({ accounts }) => ({ clinicians: accounts.names().map((name) => withoutPassword(accounts.get(name))) }),
  }),
  operation({
    method: 'POST',
    path: '/clinicians',
    id: 'addClinician',
    summary: 'Adds a clinician',
    body: clinicianOptions,
    example: { username: 'alice', verified: true },
    status: 201,
    run: ({ accounts }, { body }) => withoutPassword(accounts.add(body)),
  }),
  operation<ClinicianChanges & { username: string }>({
    method: 'PATCH',
    path: '/clinicians',
    id: 'updateClinician',
    summary: 'Changes the clinician with this username',
    body: clinicianChange,
    example: { username: 'pending', verified: true },
    run: ({ accounts }, { body: { username, ...changes } }) => withoutPassword(accounts.update(username, changes)),
  }),
  operation({
    method: 'POST',
    path: '/clinicians/end-sessions',
    id: 'endSessions',
    summary: 'Ends the sessions of a clinician, as `provider.endSessions()`',
    body: object<{ username: string }>({ username: text }, {}),
    example: { username: 'verified' },
    run: (_provider, { body: { username } }, actions) => ({ sessions: actions.endSessions(username) }),
  }),
  operation({
    method: 'POST',
    path: '/sign-in',
    id: 'signIn',
    summary: 'Signs a clinician in without a browser',
    body: object<{ authorizeURL: string; as: string; approve?: readonly string[]; deny?: boolean }>(
      { authorizeURL: url, as: text },
      {
        approve: texts,
        deny: flag,
      },
    ),
    example: { authorizeURL: 'http://127.0.0.1:4400/oauth/authorize?...', as: 'verified' },
    async run({ issuer }, { body: { authorizeURL, ...options } }, actions) {
      requireAddress(issuer, 'authorizeURL', authorizeURL);
      return { callback: await actions.signIn(authorizeURL, options) };
    },
  }),
  operation({
    method: 'POST',
    path: '/sign-out',
    id: 'signOut',
    summary: 'Follows a logout request as the clinician that POST /_mock/sign-in signed in',
    body: object<{ logoutURL: string; as: string }>({ logoutURL: url, as: text }, {}),
    example: { logoutURL: 'http://127.0.0.1:4400/oauth/logout?...', as: 'verified' },
    async run({ issuer }, { body: { logoutURL, as } }, actions) {
      requireAddress(issuer, 'logoutURL', logoutURL);
      return { callback: await actions.signOut(logoutURL, { as }) };
    },
  }),
  operation({
    method: 'POST',
    path: '/clients',
    id: 'registerClient',
    summary: 'Registers a client with exact redirect URIs',
    body: clientRegistration,
    example: { flow: 'openid', redirectURIs: ['http://127.0.0.1:5001/callback'] },
    status: 201,
    run: (_provider, { body }, actions) => actions.registerClient(body),
  }),
  operation({
    method: 'PATCH',
    path: '/clients',
    id: 'changeClient',
    summary: 'Adds a client to the blacklist, or removes it',
    body: object<{ clientID: string; blacklisted: boolean }>({ clientID: text, blacklisted: flag }, {}),
    example: { clientID: 'default-openid', blacklisted: true },
    run({ clients }, { body: { clientID, blacklisted } }) {
      if (blacklisted) clients.blacklist(clientID);
      else clients.unblacklist(clientID);
      return DONE;
    },
  }),
  operation({
    method: 'GET',
    path: '/clients',
    id: 'listClients',
    summary: 'The registered clients, without their secrets',
    run: ({ clients }) => ({ clients: clientStates(clients) }),
  }),
];
