import { faultOptions } from '../faults/fault-options.js';
import type { QueuedFault } from '../faults/fault-queue.js';
import { flow, type RegisteredClient } from '../options/client-registration.js';
import { clinicianOptions } from '../options/clinician-options.js';
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
import type { ClientState, ClockState, KnownFault, PublicClinician } from './snapshot.js';

export const count: Schema<number> = integer;

/** Milliseconds since the Unix epoch, by the provider's clock. */
const time: Schema<number> = {
  ...number,
  description: "Milliseconds since the Unix epoch, by the provider's clock.",
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

/** The argument of `provider.clinicians.update()`, with the username. */
export const clinicianChange: Schema = { ...omit(clinicianOptions, ['id', 'sub']), required: ['username'] };
/** A clinician without the password. */
export const clinician: Schema<PublicClinician> = {
  title: 'ClinicianOptions',
  type: 'object',
  properties: { username: text, id: count, sub: text, verified: flag, email: text, ...profileFields.properties },
  required: ['username', 'id', 'sub', 'verified'],
  additionalProperties: false,
};

/** The return value of `provider.registerClient()`. */
export const registeredClient: Schema<RegisteredClient> = object(
  { clientID: text, clientSecret: secret, flow, scope: texts, redirectURIs: texts, postLogoutRedirectURIs: texts },
  {},
);

export const clockState: Schema<ClockState> = object(
  {
    now: time,
    iso: { type: 'string', format: 'date-time' },
    isFrozen: flag,
    offset: number,
  },
  {},
  'ClockState',
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
    sent: text,
    registered: texts,
    fix: text,
    login: count,
  },
  'Problem',
);

const values: Schema<Readonly<Record<string, string>>> = { type: 'object', additionalProperties: text };

/** A member of `provider.requests`: secrets are masked. */
export const recordedRequest: Schema<RecordedRequest> = object(
  {
    number: count,
    at: time,
    method: text,
    path: text,
    query: values,
    form: values,
    headers: values,
    cookies: texts,
    setCookies: texts,
    status: count,
    response: { type: 'object' },
  },
  {
    authorization: text,
    location: text,
    clientID: text,
    login: count,
    clinician: text,
    fault: text,
  },
  'RecordedRequest',
);

/** Is the response of an operation without a result. */
export const DONE = { done: true } as const;
export const done: Schema<{ readonly done: boolean }> = object({ done: flag }, {});

export const queuedFault: Schema<QueuedFault> = object(
  {
    name: text as Schema<QueuedFault['name']>,
    options: faultOptions,
    once: flag,
    remaining: count,
  },
  {},
  'QueuedFault',
);

export const knownFault: Schema<KnownFault> = object(
  {
    name: text as Schema<KnownFault['name']>,
    kind: text as Schema<KnownFault['kind']>,
    aliases: texts as Schema<KnownFault['aliases']>,
    description: text,
    source: text,
    endpoint: text,
    endpoints: texts,
    options: texts as Schema<KnownFault['options']>,
  },
  { grantType: oneOf('authorization_code', 'refresh_token') },
  'Fault',
);

/** A client without its secret. */
export const clientState: Schema<ClientState> = object(
  {
    clientID: text,
    flow,
    scope: texts,
    redirectURIs: texts,
    postLogoutRedirectURIs: texts,
    takesAnyLoopbackURI: flag,
    requiresPKCE: flag,
    blacklisted: flag,
  },
  { name: text },
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
    pair: count,
  },
  {
    login: count,
    accessToken: object({ state: tokenState, endsAt: time, scope: texts }, {}),
    refreshToken: object({ state: tokenState, endsAt: time }, {}),
    revokedAt: time,
  },
  'GrantState',
);

export const rateWindow: Schema<RateWindow> = object(
  {
    clientID: text,
    username: text,
    limit: count,
    remaining: count,
    reset: count,
  },
  {},
  'RateWindow',
);

export const finding: Schema<Finding> = object(
  {
    rule: text,
    severity: oneOf('error', 'warning'),
    message: text,
    source: text,
    requests: list(count),
  },
  {},
  'Finding',
);

export const report: Schema<Pick<Report, 'findings' | 'passed' | 'notChecked'>> = object(
  { findings: list(finding), passed: texts, notChecked: texts },
  {},
  'Report',
);
