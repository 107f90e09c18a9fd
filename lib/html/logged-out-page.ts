import { html } from './escape.js';
import { otherWay, type PageOptions, page, wayOn } from './page.js';

export interface LoggedOutPageOptions extends PageOptions {
  /** Where signing in starts. */
  signInHref: string;
  /** True when the person was signed out at the service as well. @default false */
  atService?: boolean | undefined;
}

/** Signed out here; says honestly whether at the service, too. */
export function loggedOutPage(options: LoggedOutPageOptions): string {
  const rest =
    options.atService !== true &&
    html`<p>You may still be signed in at the sign-in service. On a shared computer, close the browser as well.</p>`;
  const body = html`<p>You have left this site safely.</p>${rest}${wayOn(options.signInHref, 'Sign in again')}${otherWay(options.homeHref, 'Back to the front page')}`;
  return page({ ...options, title: 'You are signed out', body });
}
