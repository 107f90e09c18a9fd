import { DeniedError } from './errors.js';

/** What the user approves with each scope of the service, as a message to the user. @internal */
export const APPROVALS = {
  basic: 'Sign in again and allow this site to read your profile.',
  colleagues: 'Sign in again and allow this site to read the list of your colleagues.',
  email: 'Sign in again and allow this site to read your e-mail address.',
} as const;

/** @returns true for a scope that has a message to the user. @internal */
export function hasApproval(scope: string | undefined): scope is keyof typeof APPROVALS {
  return scope !== undefined && Object.hasOwn(APPROVALS, scope);
}

/** @returns the error of a request that needs a scope which was not granted. @internal */
export function scopeMissing(scope: string, code: 'scope_missing' | 'identity_missing' = 'scope_missing'): DeniedError {
  const fix = hasApproval(scope) ? APPROVALS[scope] : 'Sign in again and approve it.';
  return new DeniedError(code, `The scope "${scope}" was not granted. ${fix}`, undefined, { scope });
}
