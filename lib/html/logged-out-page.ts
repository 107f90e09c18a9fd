import { html } from './escape.js';
import { actionLinks, type PageOptions, page } from './page.js';

export interface LoggedOutPageOptions extends PageOptions {
  /** Where signing in starts. */
  signInAgain?: string | undefined;
  /** True when the person was signed out at the service as well. @default false */
  atService?: boolean | undefined;
}

/** Signed out here; says honestly whether at the service, too. */
export function loggedOutPage(options: LoggedOutPageOptions): string {
  const { atService = false, signInAgain, home } = options;
  const rest = atService
    ? html`<p>You are signed out of this site and of the sign-in service.</p>`
    : html`<p>You are signed out of this site. You may still be signed in at the sign-in service: on a shared computer, close the browser as well.</p>`;
  return page({
    ...options,
    title: 'You are signed out',
    body: html`${rest}${actionLinks('Sign in again', signInAgain, home)}`,
  });
}
