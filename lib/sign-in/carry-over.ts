import { ConfigurationError } from '../errors.js';
import type { SessionRequest } from '../session/site-session.js';

/** The members of a session that are not data of the site. */
const RESERVED = ['cookie', 'clinician', 'passport'];

/** Holds the data of a session, and what of it the site copies into the renewed session. @internal */
export interface CarryOver {
  /** The data before the sign-in, without that of express-session, Passport and this package. Empty where it is of another user. */
  previousSession: Readonly<Record<string, unknown>>;
  carryOver(data: object): void;
  /** What {@link CarryOver.carryOver} has added. */
  carried: Readonly<Record<string, unknown>>;
}

/** @param isOwn false where the data belongs to another user, who has not agreed to pass it on */
export function createCarryOver({ session = {} as never }: SessionRequest, isOwn: boolean): CarryOver {
  const isReserved = (name: string) =>
    RESERVED.includes(name) || (name in session && !Object.keys(session).includes(name));
  const entries = isOwn ? Object.entries(session).filter(([name]) => !isReserved(name)) : [];
  const carried: Record<string, unknown> = {};
  return {
    previousSession: Object.freeze(Object.fromEntries(entries)),
    carried,
    carryOver(data) {
      if (typeof data !== 'object' || data === null || Array.isArray(data)) {
        throw invalid('needs an object, such as { cart: previousSession.cart }.');
      }
      const reserved = Object.keys(data).find(isReserved);
      if (reserved !== undefined) throw invalid(`cannot write the member '${reserved}' of the session.`);
      Object.assign(carried, data);
    },
  };
}

function invalid(reason: string): ConfigurationError {
  return new ConfigurationError('argument_invalid', `passport-clinician: carryOver() ${reason}`);
}
