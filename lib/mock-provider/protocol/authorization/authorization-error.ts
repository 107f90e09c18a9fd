import type { Refusal } from '../../refusal.js';

/** A refusal at the authorization endpoint: on a page, or by redirect once client and redirect URI are trusted (decision 14). */
export class AuthorizationError {
  readonly refusal: Refusal;
  readonly byRedirect: boolean;

  constructor(refusal: Refusal, byRedirect: boolean) {
    this.refusal = refusal;
    this.byRedirect = byRedirect;
  }
}
