import { DeniedError } from './errors.js';

/** The messages of this package to a user whose request is denied. The pages replace them by their texts. @internal */
export const DENIALS = {
  framed_sign_in: 'The sign-in cannot be shown in a frame. Open this page in its own window.',
  cross_site_request: "This request must come from one of this site's own pages.",
  user_changed: 'Another user is signed in on this site. To sign in as another user, sign out first.',
  sign_in_refused: 'This site denied your sign-in.',
  profile_refused: 'Your profile does not give access to this page.',
  verification_pending: 'Your verification is in progress. It can take up to three days.',
} as const;

/** @returns the error of a denial that has a message of this package. @internal */
export function denied(code: keyof typeof DENIALS): DeniedError {
  return new DeniedError(code, DENIALS[code]);
}

/** @returns the error of a request that needs a scope which was not granted. @internal */
export function scopeMissing(scope: string): DeniedError {
  return new DeniedError(
    'scope_missing',
    `The scope "${scope}" was not granted. Sign in again and approve it.`,
    undefined,
    { scope },
  );
}
