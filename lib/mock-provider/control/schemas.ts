import { faultOptions } from '../faults/fault-options.js';
import type { QueuedFault } from '../faults/fault-queue.js';
import { flow, type RegisteredClient } from '../options/client-registration.js';
import { clinicianOptions } from '../options/clinician-options.js';
import { sandboxOptions as ownOptions } from '../options/options.js';
import {
  flag,
  integer,
  list,
  number,
  object,
  omit,
  oneOf,
  type Schema,
  secret,
  text,
  texts,
} from '../options/schema.js';
import type { Problem } from '../recording/problems.js';
import type { RecordedRequest } from '../recording/recorded-request.js';
import type { Finding, Report } from '../recording/report.js';
import type { GrantState, RateWindow } from './grant-state.js';
import type { SandboxDescription } from './operation.js';
import type { ClientState, ClockState, KnownFault, PublicClinician } from './snapshot.js';

export const count: Schema<number> = integer;

export const time: Schema<number> = {
  ...number,
  description: 'Milliseconds since the Unix epoch, by the clock of the provider.',
};

const profileFields = omit(clinicianOptions, [
  'username',
  'password',
  'id',
  'sub',
  'verified',
  'verifiedAfter',
  'email',
]);

/** As `provider.clinicians.update()` takes it, with the username. */
export const clinicianChange: Schema = { ...omit(clinicianOptions, ['id', 'sub']), required: ['username'] };
/** A clinician without the password. */
export const clinician: Schema<PublicClinician> = {
  type: 'object',
  properties: { username: text, id: count, sub: text, verified: flag, email: text, ...profileFields.properties },
  required: ['username', 'id', 'sub', 'verified'],
  additionalProperties: false,
};

/** As `provider.registerClient()` returns it. */
export const registeredClient: Schema<RegisteredClient> = object(
  { clientID: text, clientSecret: secret, flow, scope: texts, redirectURIs: texts, postLogoutRedirectURIs: texts },
  {},
);

export const clockState: Schema<ClockState> = object(
  {
    now: time,
    iso: { type: 'string', format: 'date-time' },
    isFrozen: flag,
    offset: { ...number, description: 'Milliseconds ahead of the machine.' },
  },
  {},
);

export const problem: Schema<Problem> = object(
  {
    at: time,
    endpoint: text,
    error: text,
    reason: text,
    rule: text as Schema<Problem['rule']>,
    source: text,
    request: count,
  },
  {
    clientID: text,
    fix: { ...text, description: 'What to change in the client, where that is known.' },
    login: count,
  },
);

const values: Schema<Readonly<Record<string, string>>> = { type: 'object', additionalProperties: text };

/** As in `provider.requests`: secrets are masked. */
export const recordedRequest: Schema<RecordedRequest> = object(
  {
    number: { ...count, description: 'Counted from 1 since the start or the last reset.' },
    at: time,
    method: text,
    path: text,
    query: values,
    form: values,
    headers: { ...values, description: 'The few headers that identify the kind of client.' },
    cookies: { ...texts, description: 'The names of the cookies in the request.' },
    setCookies: { ...texts, description: 'The names of the cookies that were set.' },
    status: count,
    response: {
      type: 'object',
      description: 'The members error, error_description, expires_in, scope and token_type of a JSON response.',
    },
  },
  {
    authorization: { ...text, description: 'How the client authenticated: only the scheme.' },
    location: { ...text, description: 'Where the response redirects to, secrets masked.' },
    clientID: text,
    login: { ...count, description: 'The login that the request belongs to.' },
    clinician: { ...text, description: 'The username, when it is known.' },
    fault: { ...text, description: 'The fault that was applied.' },
  },
);

/** The response of an operation without a result. */
export const DONE = { done: true } as const;
export const done: Schema<{ readonly done: boolean }> = object({ done: flag }, {});

export const queuedFault: Schema<QueuedFault> = object(
  {
    name: text as Schema<QueuedFault['name']>,
    options: faultOptions,
    once: flag,
    remaining: { ...count, description: 'The number of matching exchanges until it applies: 1 for the next one.' },
  },
  {},
);

export const knownFault: Schema<KnownFault> = object(
  {
    name: text as Schema<KnownFault['name']>,
    kind: text as Schema<KnownFault['kind']>,
    aliases: texts as Schema<KnownFault['aliases']>,
    description: text,
    source: text,
    endpoints: texts,
    options: texts as Schema<KnownFault['options']>,
  },
  { endpoint: text, grantType: oneOf('authorization_code', 'refresh_token') },
);

/** A client without its secret. */
export const clientState: Schema<ClientState> = object(
  {
    clientID: text,
    name: text,
    flow,
    scope: texts,
    redirectURIs: texts,
    postLogoutRedirectURIs: texts,
    takesAnyLoopbackURI: flag,
    requiresPKCE: flag,
    blacklisted: flag,
  },
  {},
);

const tokenState = oneOf('valid', 'expired', 'revoked');

export const grantState: Schema<GrantState> = object(
  {
    number: count,
    clientID: text,
    username: text,
    scope: texts,
    issuedAt: time,
    code: object({ state: oneOf('issued', 'used', 'expired', 'revoked'), endsAt: time }, { usedAt: time }),
    pair: { ...count, description: 'The number of the newest token pair: 2 after one refresh, 0 before the first.' },
  },
  {
    login: { ...count, description: 'The login that created the grant.' },
    accessToken: object({ state: tokenState, endsAt: time, scope: texts }, {}),
    refreshToken: object({ state: tokenState, endsAt: time }, {}),
    revokedAt: time,
  },
);

export const rateWindow: Schema<RateWindow> = object(
  {
    clientID: text,
    username: text,
    limit: count,
    remaining: count,
    reset: { ...count, description: 'Seconds since the Unix epoch.' },
  },
  {},
);

export const finding: Schema<Finding> = object(
  {
    rule: text,
    severity: oneOf('error', 'warning'),
    message: text,
    source: text,
    requests: { ...list(count), description: 'The numbers of the requests.' },
  },
  {},
);

export const report: Schema<Pick<Report, 'findings' | 'passed' | 'notChecked'>> = object(
  { findings: list(finding), passed: texts, notChecked: texts },
  {},
);

/** As `provider.sandbox()` takes them. */
export const sandboxOptions: Schema = {
  ...withoutDefaults(ownOptions),
  description: 'What is left out is as for the provider.',
};

/** A sandbox has the options of its provider by default. */
function withoutDefaults({ default: _, properties, ...schema }: Schema): Schema {
  if (properties === undefined) return schema;
  const members = Object.entries(properties).map(([name, member]) => [name, withoutDefaults(member)]);
  return { ...schema, properties: Object.fromEntries(members) };
}

export const sandbox: Schema<SandboxDescription> = object(
  {
    issuer: text,
    apiURL: text,
    shareScriptURL: text,
    clients: object<SandboxDescription['clients']>({ openid: registeredClient, profile: registeredClient }, {}),
  },
  {},
);
