import { clientRegistration } from '../../options/client-registration.js';
import { type ClinicianChanges, clinicianOptions } from '../../options/clinician-options.js';
import { type GrantExpiry, grantExpiry } from '../../options/grant-selector.js';
import { flag, object, omit, type Schema, text, texts } from '../../options/schema.js';
import type { Clinician } from '../../state/clinician.js';
import { badRequest } from '../control-error.js';
import { type Operation, operation } from '../operation.js';

const url: Schema<string> = {
  ...text,
  check: (value) => (URL.canParse(value) ? undefined : 'must be a URL.'),
};

/** The argument of `provider.clinicians.update()`, with the username. */
const clinicianChange: Schema = { ...omit(clinicianOptions, ['id', 'sub']), required: ['username'] };

function withoutPassword({ password: _, ...shown }: Clinician): Omit<Clinician, 'password'> {
  return shown;
}

function requireAddress(issuer: string, name: string, address: string): void {
  if (new URL(address).origin !== new URL(issuer).origin) throw badRequest(`${name} must be an address of ${issuer}.`);
}

/** The operations on clinicians, their sign-ins and tokens, and clients. */
export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'POST',
    path: '/clinicians',
    body: clinicianOptions,
    status: 201,
    run: ({ accounts }, { body }) => withoutPassword(accounts.add(body)),
  }),
  operation<ClinicianChanges & { username: string }>({
    method: 'PATCH',
    path: '/clinicians',
    body: clinicianChange,
    run: ({ accounts }, { body: { username, ...changes } }) => withoutPassword(accounts.update(username, changes)),
  }),
  operation({
    method: 'POST',
    path: '/sign-in',
    body: object<{ authorizeURL: string; as: string; approve?: readonly string[]; deny?: boolean }>(
      { authorizeURL: url, as: text },
      { approve: texts, deny: flag },
    ),
    async run({ issuer }, { body: { authorizeURL, ...options } }, actions) {
      requireAddress(issuer, 'authorizeURL', authorizeURL);
      return { callback: await actions.signIn(authorizeURL, options) };
    },
  }),
  operation({
    method: 'POST',
    path: '/sign-out',
    body: object<{ logoutURL: string; as: string }>({ logoutURL: url, as: text }, {}),
    async run({ issuer }, { body: { logoutURL, as } }, actions) {
      requireAddress(issuer, 'logoutURL', logoutURL);
      return { callback: await actions.signOut(logoutURL, { as }) };
    },
  }),
  operation<GrantExpiry>({
    method: 'POST',
    path: '/grants/expire',
    body: grantExpiry,
    run: (_provider, { body }, actions) => ({ grants: actions.expireGrants(body) }),
  }),
  operation({
    method: 'POST',
    path: '/clients',
    body: clientRegistration,
    status: 201,
    run: (_provider, { body }, actions) => actions.registerClient(body),
  }),
];
