import type { Remedy } from '../errors/error-codes.js';

/** The levels of events: methods that `console`, pino and winston have. */
export type EventLevel = 'debug' | 'info' | 'warn' | 'error';

/** The members that some events have. They contain no token, code, verifier or secret. */
export interface EventMembers {
  /** The site's own id of the user; if the tokens belong to no user of the site, the ID Token's `sub`, if any. */
  userID?: string | undefined;
  /** The id of the login. */
  grantID?: string | undefined;
  /** The stable code of the error, if the event is a failure. */
  code?: string | undefined;
  /** What resolves the failure: see `error.remedy`. */
  remedy?: Remedy | undefined;
  /** The granted scope. */
  scope?: readonly string[] | undefined;
  /** The number of erased logins. Absent if a user has signed out in one browser. */
  logins?: number | undefined;
}

interface EventEntry {
  /** `by remedy`: the level of the error, by {@link LEVELS}. */
  level: EventLevel | 'by remedy';
  /** One sentence. The reason of a failure follows. */
  message: string;
  /** An event with a `code` is a failure, and has a `remedy` too. */
  members: readonly (keyof EventMembers)[];
}

/** Every event. To add one, add an entry, and run `npm run docs:events`. */
const TABLE = {
  sign_in_started: { level: 'debug', message: 'A sign-in has started.', members: [] },
  signed_in: { level: 'info', message: 'A user has signed in.', members: ['userID', 'scope'] },
  sign_in_failed: { level: 'by remedy', message: 'A sign-in failed.', members: ['code'] },
  login_ended: { level: 'by remedy', message: 'A login ended without a sign-out.', members: ['userID', 'code'] },
  signed_out: { level: 'info', message: 'A user has signed out.', members: ['userID', 'logins'] },
  forgotten: { level: 'info', message: 'All data of a user was erased.', members: ['userID', 'logins'] },
  request_failed: { level: 'by remedy', message: 'A request failed.', members: ['userID', 'code'] },
  refresh_failed: { level: 'by remedy', message: 'Tokens were not refreshed.', members: ['userID', 'code'] },
  revocation_failed: {
    level: 'warn',
    message: 'The service did not revoke tokens: they are still valid.',
    members: ['userID', 'grantID', 'code'],
  },
  erasure_failed: {
    level: 'warn',
    message: 'The data of a login that ended was not erased.',
    members: ['userID', 'code'],
  },
  secret_unknown: {
    level: 'warn',
    message:
      'This process does not have the secret that sealed some data: see "Rotate the secret" in the guide Deploy.',
    members: [],
  },
  close_incomplete: {
    level: 'warn',
    message: 'Not all refreshes and revocations were complete when close() ended.',
    members: [],
  },
} as const;

/** The names of events. */
export type ClinicianEventName = keyof typeof TABLE;

/** Maps the name of each event to its level, message and members. @internal */
export const EVENTS: Readonly<Record<ClinicianEventName, EventEntry>> = TABLE;

type MembersOf<Name extends ClinicianEventName> = (typeof TABLE)[Name]['members'][number];

/** Selects the members of one event. A failure may have its error in place of the code. @internal */
export type EventDetails<Name extends ClinicianEventName> = Pick<EventMembers, MembersOf<Name>> &
  ('code' extends MembersOf<Name> ? { error?: unknown } : unknown);

/** Maps the remedy of an error to the level of its event. @internal */
export const LEVELS: Readonly<Record<Remedy, EventLevel>> = {
  sign_in: 'info',
  tell_user: 'info',
  retry: 'warn',
  investigate: 'error',
  fix_code: 'error',
};
