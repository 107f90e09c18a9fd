import type { Fault } from '../faults/catalogue.js';
import type { FaultOptions } from '../faults/fault.js';
import type { ClientRegistration, RegisteredClient } from '../options/client-registration.js';
import type { Finding } from '../recording/report.js';
import type { ClinicianOptions } from '../state/clinician.js';
import type { Schema } from './schema.js';

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer' };
const texts: Schema = { type: 'array', items: text };
const textOrNull: Schema = { type: ['string', 'null'] };
const number: Schema = { type: 'number' };
const freeObject: Schema = { type: 'object' };

/** An object that has these members and no others. */
export function object(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function list(items: Schema): Schema {
  return { type: 'array', items };
}

/** Milliseconds since the Unix epoch, by the provider's clock. */
export const time: Schema = {
  type: 'number',
  description: 'Milliseconds since the Unix epoch, by the clock of the provider.',
};
export const duration: Schema = {
  type: ['string', 'number'],
  description: 'As people write it, such as "3 days", or milliseconds.',
};

type Identity = 'username' | 'id' | 'sub';
type Kept = 'password' | 'verifiedAfter';

const shownMembers: Record<Exclude<keyof ClinicianOptions, Identity | Kept>, Schema> = {
  verified: flag,
  email: text,
  npi: count,
  firstName: text,
  middleName: text,
  lastName: text,
  maidenName: textOrNull,
  fullName: text,
  gender: text,
  state: text,
  lat: number,
  lon: number,
  city: text,
  zip: text,
  address1: textOrNull,
  address2: textOrNull,
  phone: textOrNull,
  fax: textOrNull,
  additionalLocations: list(freeObject),
  credentials: text,
  specialty: text,
  specialtyDetails: freeObject,
  hospitals: list(freeObject),
  subspecialties: texts,
  medicalSchool: text,
  residencies: texts,
  profilePhoto: text,
  colleagueCount: count,
  description: text,
};

const identity: Record<Identity, Schema> = { username: text, id: count, sub: text };
const changeable: Record<Kept | keyof typeof shownMembers, Schema> = {
  ...shownMembers,
  password: text,
  verifiedAfter: { ...duration, description: 'Waits in the verification queue for this long from now.' },
};

/** As `provider.clinicians.add()` takes it. */
export const clinicianToAdd: Schema = object({ ...identity, ...changeable }, ['username']);
/** As `provider.clinicians.update()` takes it. */
export const clinicianChange: Schema = object({ username: text, ...changeable }, ['username']);
/** As it is shown: without the password, which whoever added the clinician has. */
export const clinician: Schema = object({ ...identity, ...shownMembers }, ['username', 'id', 'sub', 'verified']);

const flow: Schema = { type: 'string', enum: ['openid', 'profile'] };

const registrationMembers: Record<keyof ClientRegistration, Schema> = {
  clientID: text,
  clientSecret: text,
  flow,
  redirectURIs: { ...texts, description: 'Compared byte for byte.' },
  postLogoutRedirectURIs: texts,
  scope: { type: ['string', 'array'], items: text },
  developer: text,
  name: text,
  requirePKCE: flag,
  allowLoopbackPort: flag,
  responseTypes: texts,
  grantTypes: texts,
  userinfoSignedResponseAlg: { type: 'string', enum: ['RS256'] },
};

/** As `provider.registerClient()` takes it. */
export const clientToRegister: Schema = object(registrationMembers, ['flow', 'redirectURIs']);

const registeredMembers: Record<keyof RegisteredClient, Schema> = {
  clientID: text,
  clientSecret: text,
  flow,
  scope: texts,
  redirectURIs: texts,
  postLogoutRedirectURIs: texts,
};
/** As `provider.registerClient()` returns it. */
export const registeredClient: Schema = object(registeredMembers, Object.keys(registeredMembers));

export const clockState: Schema = object(
  {
    now: time,
    iso: { type: 'string', format: 'date-time' },
    isFrozen: flag,
    offset: { type: 'number', description: 'Milliseconds ahead of the machine.' },
  },
  ['now', 'iso', 'isFrozen', 'offset'],
);

export const problem: Schema = object(
  {
    at: time,
    endpoint: text,
    clientID: text,
    error: text,
    reason: text,
    rule: text,
    source: text,
    fix: { ...text, description: 'What to change in the client, where that is known.' },
    request: count,
    login: count,
  },
  ['at', 'endpoint', 'error', 'reason', 'rule', 'source', 'request'],
);

const values: Schema = { type: 'object', additionalProperties: text };
/** As in `provider.requests`: secrets masked. */
export const recordedRequest: Schema = {
  type: 'object',
  properties: {
    number: { ...count, description: 'Counted from 1 on since the start or the last reset.' },
    at: time,
    method: text,
    path: text,
    query: values,
    form: values,
    authorization: { ...text, description: 'How the client authenticated: the scheme alone.' },
    headers: { ...values, description: 'The few that tell something about the client.' },
    cookies: { ...texts, description: 'The names of the cookies that came along.' },
    setCookies: { ...texts, description: 'The names of the cookies that were set.' },
    status: count,
    location: { ...text, description: 'Where it was redirected to, secrets masked.' },
    response: {
      ...freeObject,
      description: 'The members error, error_description, expires_in, scope and token_type of a JSON response.',
    },
    clientID: text,
    login: { ...count, description: 'Which login it belongs to.' },
    clinician: { ...text, description: 'The user name, when that is known.' },
    fault: { ...text, description: 'The fault that struck.' },
  },
  additionalProperties: false,
  required: ['number', 'at', 'method', 'path', 'query', 'form', 'status'],
};

export const done: Schema = object({ done: flag }, ['done']);
export const DONE = { done: true } as const;

/** As `provider.faults.next()` takes them; each fault takes some. */
export const faultOptions: Record<keyof FaultOptions, Schema> = {
  endpoint: { ...text, description: 'Only at this path, such as "/oauth/token".' },
  client: { ...text, description: 'Only for this clientID.' },
  nth: { ...count, description: 'Not the next time, but the nth from now.' },
  grantType: { type: 'string', enum: ['authorization_code', 'refresh_token'] },
  delay: { ...duration, description: 'How late the response is.' },
  offset: { ...duration, description: 'How far the clock is ahead; negative when it is behind.' },
  window: { ...duration, description: 'The time until the rate-limit window ends.' },
  status: { ...count, description: 'The status that is answered with, 500 to 599.' },
  error: { ...text, description: 'The error code in the redirect.' },
};

export const queuedFault: Schema = object(
  {
    name: text,
    options: object(faultOptions),
    once: flag,
    remaining: { ...count, description: 'The number of matching exchanges until it applies: 1 for the next one.' },
  },
  ['name', 'options', 'once', 'remaining'],
);

const knownFaultMembers: Record<keyof Fault | 'name', Schema> = {
  name: text,
  kind: text,
  aliases: texts,
  description: text,
  source: text,
  endpoint: text,
  endpoints: texts,
  grantType: text,
  options: texts,
};
export const knownFault: Schema = object(knownFaultMembers, ['name', 'kind', 'aliases', 'description', 'source']);

/** A client as it is listed: without its secret. */
export const clientState: Schema = object(
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
  ['clientID', 'name', 'flow', 'scope', 'redirectURIs', 'postLogoutRedirectURIs', 'blacklisted'],
);

const tokenState: Schema = { type: 'string', enum: ['valid', 'expired', 'revoked'] };

export const grantState: Schema = object(
  {
    number: count,
    login: { ...count, description: 'The login that it came of.' },
    clientID: text,
    username: text,
    scope: texts,
    issuedAt: time,
    code: object(
      { state: { type: 'string', enum: ['issued', 'used', 'expired', 'revoked'] }, endsAt: time, usedAt: time },
      ['state', 'endsAt'],
    ),
    pair: { ...count, description: 'Which pair of tokens is the newest: 2 after one refresh, 0 before the first.' },
    accessToken: object({ state: tokenState, endsAt: time, scope: texts }, ['state', 'endsAt', 'scope']),
    refreshToken: object({ state: tokenState, endsAt: time }, ['state', 'endsAt']),
    revokedAt: time,
  },
  ['number', 'clientID', 'username', 'scope', 'issuedAt', 'code', 'pair'],
);

export const rateWindow: Schema = object(
  {
    clientID: text,
    username: text,
    limit: count,
    remaining: count,
    reset: { ...count, description: 'Seconds since the Unix epoch.' },
  },
  ['clientID', 'username', 'limit', 'remaining', 'reset'],
);

const findingMembers: Record<keyof Finding, Schema> = {
  rule: text,
  severity: { type: 'string', enum: ['error', 'warning'] },
  message: text,
  source: text,
  requests: { ...list(count), description: 'The numbers of the requests.' },
};

export const finding: Schema = object(findingMembers, Object.keys(findingMembers));

/** As `provider.report()` says. */
export const report: Schema = object({ findings: list(finding), passed: texts, notChecked: texts }, [
  'findings',
  'passed',
  'notChecked',
]);

/** As `provider.sandbox()` takes them, which looks at them itself. */
export const sandboxOptions: Schema = {
  type: 'object',
  description: 'As for startMockProvider(), but for what concerns the address; left out: as the provider was started.',
};

/** What a site needs to use a sandbox. */
export const sandbox: Schema = object(
  {
    issuer: text,
    apiURL: text,
    shareScriptURL: text,
    clients: object({ openid: registeredClient, profile: registeredClient }, ['openid', 'profile']),
  },
  ['issuer', 'apiURL', 'shareScriptURL', 'clients'],
);
