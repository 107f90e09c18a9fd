import { flag, type Schema, text } from '../../schema.js';
import type { FaultName } from '../faults/catalogue.js';
import type { FaultOptions } from '../faults/fault.js';
import { faultOptions } from '../faults/fault-options.js';
import { clientRegistration } from '../options/client-registration.js';
import { type ClinicianChanges, clinicianOptions } from '../options/clinician-options.js';
import { type Duration, duration } from '../options/duration.js';
import { type GrantExpiry, grantExpiry } from '../options/grant-selector.js';
import { object, omit, requiring, textList } from '../options/schema.js';
import type { Clinician } from '../state/clinician.js';
import { EXPECTED_TIME, epochMilliseconds, type MockClock } from '../state/clock.js';
import { badRequest } from './control-error.js';
import { type Operation, operation } from './operation.js';
import { listRequests, wholeNumber } from './requests.js';

interface ClockMove {
  reset?: boolean;
  set?: number | string;
  advance?: Duration;
  freeze?: boolean;
}

interface ClockState {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly iso: string;
  readonly isFrozen: boolean;
  /** Milliseconds ahead of the machine's clock. */
  readonly offset: number;
}

const time: Schema<number | string> = {
  type: EXPECTED_TIME,
  isValid: (value) => typeof value === 'string' || typeof value === 'number',
  check: (value) => (Number.isFinite(epochMilliseconds(value)) ? undefined : `must be ${EXPECTED_TIME}.`),
};
const path: Schema<string> = {
  ...text,
  check: (value) => (value.startsWith('/') ? undefined : 'must start with a slash, as in /oauth/token.'),
};
const url: Schema<string> = {
  ...text,
  check: (value) => (URL.canParse(value) ? undefined : 'must be a URL.'),
};
/** The argument of `provider.clinicians.update()`, with the username. */
const clinicianChange: Schema = omit(clinicianOptions, ['id', 'sub']);

export function clockState(clock: MockClock): ClockState {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), isFrozen: clock.isFrozen, offset: Math.round(now - Date.now()) };
}

function withoutPassword({ password: _, ...shown }: Clinician): Omit<Clinician, 'password'> {
  return shown;
}

function requireAddress(issuer: string, name: string, address: string): void {
  if (new URL(address).origin !== new URL(issuer).origin) throw badRequest(`${name} must be an address of ${issuer}.`);
}

/** The operations on clock, faults and signing keys, and the reset of a provider. */
const SIMULATION: readonly Operation[] = [
  operation({
    method: 'POST',
    path: '/clock',
    body: object<ClockMove>({}, { reset: flag, set: time, advance: duration, freeze: flag }),
    /** First reset, then set, then advance. The clock stops at that time with freeze: true, and runs with false. */
    run({ clock }, { body: { reset, freeze, set, advance } }) {
      if (reset) clock.reset();
      if (freeze === true) clock.freeze();
      if (set !== undefined) clock.set(set);
      if (advance !== undefined) clock.advance(advance);
      if (freeze === false) clock.resume();
      return clockState(clock);
    },
  }),
  operation<FaultOptions & { name: string; always?: boolean }>({
    method: 'POST',
    path: '/faults',
    body: requiring({ ...faultOptions, members: { name: text, always: flag, ...faultOptions.members } } as Schema, [
      'name',
    ]),
    run({ faults }, { body: { name, always, ...options } }) {
      if (always) faults.always(name as FaultName, options);
      else faults.next(name as FaultName, options);
      return { queued: faults.queued };
    },
  }),
  operation({
    method: 'DELETE',
    path: '/faults',
    query: { name: text },
    run(_provider, { query: { name } }, { faults }) {
      if (name === undefined) faults.clear();
      else if (faults.remove(name) === 0) throw badRequest(`No fault ${JSON.stringify(name.slice(0, 100))} is queued.`);
      return { queued: faults.queued };
    },
  }),
  operation({
    method: 'POST',
    path: '/keys/rotate',
    body: object<{ publishOnly?: boolean }>({}, { publishOnly: flag }),
    run: ({ keys }, { body: { publishOnly } }) => ({ kid: publishOnly ? keys.publish() : keys.rotate() }),
  }),
  operation({
    method: 'POST',
    path: '/reset',
    body: object<Record<never, never>>({}, {}),
    run(provider) {
      provider.reset();
      return { done: true };
    },
  }),
];

/** The operations on recorded requests and what follows from them. */
const RECORDS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/requests',
    query: { since: text, method: text, path, status: text, client: text, wait: text },
    run: ({ requests }, { query }) => listRequests(requests, query),
  }),
  operation({ method: 'GET', path: '/problems', run: ({ problems }) => ({ problems }) }),
  operation({ method: 'GET', path: '/report', run: (provider) => provider.report() }),
  operation({
    method: 'GET',
    path: '/trace',
    query: { login: text },
    run: (provider, { query: { login } }) =>
      provider.trace(login === undefined ? {} : { login: wholeNumber(login, 'login') }),
  }),
];

/** The operations on clinicians, their sign-ins and tokens, and clients. */
const ACCOUNTS: readonly Operation[] = [
  operation({
    method: 'POST',
    path: '/clinicians',
    body: clinicianOptions,
    status: 201,
    run: ({ clinicians }, { body }) => withoutPassword(clinicians.add(body)),
  }),
  operation<ClinicianChanges & { username: string }>({
    method: 'PATCH',
    path: '/clinicians',
    body: clinicianChange,
    run: ({ clinicians }, { body: { username, ...changes } }) => withoutPassword(clinicians.update(username, changes)),
  }),
  operation({
    method: 'POST',
    path: '/sign-in',
    body: object<{ authorizeURL: string; as: string; approve?: readonly string[]; deny?: boolean }>(
      { authorizeURL: url, as: text },
      { approve: textList, deny: flag },
    ),
    async run(provider, { body: { authorizeURL, ...options } }) {
      requireAddress(provider.issuer, 'authorizeURL', authorizeURL);
      return { callback: await provider.signIn(authorizeURL, options) };
    },
  }),
  operation({
    method: 'POST',
    path: '/sign-out',
    body: object<{ logoutURL: string; as: string }>({ logoutURL: url, as: text }, {}),
    async run(provider, { body: { logoutURL, as } }) {
      requireAddress(provider.issuer, 'logoutURL', logoutURL);
      return { callback: await provider.signOut(logoutURL, { as }) };
    },
  }),
  operation<GrantExpiry>({
    method: 'POST',
    path: '/grants/expire',
    body: grantExpiry,
    run: (provider, { body }) => ({ grants: provider.expireGrants(body) }),
  }),
  operation({
    method: 'POST',
    path: '/clients',
    body: clientRegistration,
    status: 201,
    run: (provider, { body }) => provider.registerClient(body),
  }),
];

/** All operations of the control API. */
export const OPERATIONS: readonly Operation[] = [...SIMULATION, ...RECORDS, ...ACCOUNTS];
