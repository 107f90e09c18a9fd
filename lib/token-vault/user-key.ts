import { argumentInvalid } from '../errors/errors.js';

/** @returns true for an id of a user of the site: a string that is not empty, or a number. */
export function isUserID(id: unknown): id is string | number | bigint {
  return typeof id === 'string' ? id !== '' : typeof id === 'bigint' || (typeof id === 'number' && !Number.isNaN(id));
}

/**
 * Converts the site's id of a user to the key of the stored data. Throws a {@link ConfigurationError} for another value: as text,
 * `undefined` would be the id of a user, and nothing of the intended one would be erased. @param call for the message: `forget()`
 */
export function userKeyFrom(userID: unknown, call: string): string {
  if (isUserID(userID)) return String(userID);
  throw argumentInvalid(
    `${call} needs the site's own id of the user, a string or a number, not ${kindOf(userID)}. Pass the 'id' of the user that onSignIn or the verify function returned.`,
  );
}

/** Throws a {@link ConfigurationError} unless the value can be the id of a login. @param call for the message: `grantOf()` */
export function assertGrantID(grantID: unknown, call: string, source: string): asserts grantID is string {
  if (typeof grantID === 'string' && grantID !== '') return;
  throw argumentInvalid(`${call} needs the id of a login, a string: ${source}`);
}

/** Describes a value without its contents, which may be data of a user. */
function kindOf(value: unknown): string {
  if (value === '') return 'an empty string';
  if (value === null || value === undefined || Number.isNaN(value)) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
