import { html } from './escape.js';
import { actionLinks, type PageOptions, page } from './page.js';

interface ContinuePageOptions extends PageOptions {
  /** The address that the browser is redirected to; the button is for a browser that does not follow. */
  next: string;
}

/** Returns the page between the service's response and the page that was requested. It is shown for a moment. */
export function continuePage(options: ContinuePageOptions): string {
  const body = html`<p>One moment, please.</p>
${actionLinks('Continue', options.next)}`;
  return page({ ...options, title: 'You are being signed in', body });
}

interface PopupPageOptions extends PageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
  /** The page that the sign-in was started for: for a browser that does not close the popup. */
  returnTo?: string | undefined;
}

/** Returns the last page of a sign-in in a popup: its script notifies the page that opened the popup, and closes it. */
export function popupPage(options: PopupPageOptions): string {
  const body = html`<div data-clinician-popup="signed-in"></div>
<p>This window closes automatically. If it stays open, close it or continue here.</p>
${actionLinks('Continue', options.returnTo)}`;
  return page({ ...options, title: 'You are signed in', body });
}

/** Holds the Content-Security-Policy of {@link popupPage}. */
export const popupPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface PendingPageOptions extends PageOptions {
  /** The page that requires a verified clinician: it opens once the clinician is verified. */
  checkAgain?: string | undefined;
}

/**
 * Returns the page for a clinician who is not verified yet (service spec, `verified`: a manual check can take up to three days).
 */
export function pendingPage(options: PendingPageOptions): string {
  const body = html`<p>You are signed in. The sign-in service is still checking that you are a clinician. This page opens when the check is complete.</p>
<p>The check usually takes a moment. A manual check can take <strong>up to three days</strong>. Meanwhile you do not have to sign in again.</p>
${actionLinks('Check again', options.checkAgain)}`;
  return page({ ...options, title: 'Your verification is in progress', body });
}

interface LoggedOutPageOptions extends PageOptions {
  /** The address that starts a sign-in. */
  signInAgain?: string | undefined;
  /** True when the user was signed out at the service too. @default false */
  atService?: boolean | undefined;
}

/** Returns the page that is shown after a sign-out: says whether the user may still be signed in at the service. */
export function loggedOutPage(options: LoggedOutPageOptions): string {
  const { atService = false, signInAgain } = options;
  const text = atService
    ? 'You are signed out of this site and of the sign-in service.'
    : 'You are signed out of this site. You may still be signed in at the sign-in service. On a shared computer, also close the browser.';
  const body = html`<p>${text}</p>${actionLinks('Sign in again', signInAgain)}`;
  return page({ ...options, title: 'You are signed out', body });
}
