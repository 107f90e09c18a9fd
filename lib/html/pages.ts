import type { Remedy } from '../errors.js';
import { type HTML, html } from './escape.js';
import { actionLinks, type PageOptions, page, truncate } from './page.js';

export interface ContinuePageOptions extends PageOptions {
  /** The address that the browser is redirected to; the button is for a browser that does not follow. */
  next: string;
}

/** Returns the page between the service's response and the page that was requested. It is shown for a moment. */
export function continuePage(options: ContinuePageOptions): string {
  const { next, home } = options;
  const body = html`<p>One moment, please.</p>
${actionLinks('Continue', next, home)}`;
  return page({ ...options, title: 'You are being signed in', body });
}

export interface PopupPageOptions extends PageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
  /** The page that the sign-in was started for: for a browser that does not close the popup. */
  returnTo?: string | undefined;
}

/** Returns the last page of a sign-in in a popup: its script notifies the page that opened the popup, and closes it. */
export function popupPage(options: PopupPageOptions): string {
  const body = html`<div data-clinician-popup="signed-in"></div>
<p>This window closes automatically. If it stays open, close it or continue here.</p>
${actionLinks('Continue', options.returnTo, options.home)}`;
  return page({ ...options, title: 'You are signed in', body });
}

/** Holds the Content-Security-Policy of {@link popupPage}. */
export const popupPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface DeniedPageOptions extends PageOptions {
  /** The address that starts a sign-in. */
  tryAgain?: string | undefined;
  /** A heading for a denial that is not of a sign-in: the page then shows only the reason. @default 'You are not signed in' */
  title?: string | undefined;
  /** The reason, from the service or the site. */
  reason?: string | undefined;
}

/** Returns the page that is shown when the user, the service or the site denied a request. */
export function deniedPage(options: DeniedPageOptions): string {
  const { title, reason, tryAgain, home } = options;
  const body = html`${title === undefined ? signInDenied(reason, tryAgain) : reasonText(reason)}
${actionLinks('Try again', tryAgain, home)}`;
  return page({ ...options, title: title ?? 'You are not signed in', body });
}

function signInDenied(reason: string | undefined, tryAgain: string | undefined): HTML {
  return html`<p>Your sign-in was stopped before it was complete.</p>
${reason !== undefined && html`<p class="clinician-note">The reason:</p>`}
${reasonText(reason, 'clinician-reason')}
${tryAgain !== undefined && html`<p>If you did not intend this, try again.</p>`}`;
}

function reasonText(reason: string | undefined, className?: string): HTML | undefined {
  if (reason === undefined) return undefined;
  return html`<p${className !== undefined && html` class="${className}"`}><bdi>${truncate(reason)}</bdi></p>`;
}

export interface FailedPageOptions extends PageOptions {
  /** The address that starts a sign-in. */
  tryAgain?: string | undefined;
  /** The error's stable code: shown small, for a support request. */
  code: string;
  /** The error's remedy, which selects the text. @default 'retry' where `retryable`, else 'investigate' */
  remedy?: Remedy | undefined;
  retryable?: boolean | undefined;
  /** Replaces the text of the remedy. Never an error's own message, unless that addresses the user. */
  message?: string | undefined;
}

const FAILURES: Readonly<Record<Remedy, { title: string; text: string }>> = {
  sign_in: {
    title: 'Please sign in once more',
    text: 'This sign-in could not be completed. It took too long, or it was started in another browser.',
  },
  tell_user: {
    title: 'You are not signed in',
    text: 'The sign-in was refused. You can try again, or go back to the front page.',
  },
  retry: {
    title: 'The sign-in service is not responding',
    text: 'This usually passes quickly. Please try again in a moment.',
  },
  investigate: {
    title: 'We could not sign you in',
    text: 'The response of the sign-in service failed a security check. Please try again. If it happens again, send the code below to the people who run this site.',
  },
  fix_code: {
    title: 'Sign-in is not working on this site',
    text: 'You did nothing wrong. Please send the code below to the people who run this site.',
  },
};

/** Returns the page that is shown when a sign-in failed: what the user can do, and no detail that would help an attacker. */
export function failedPage(options: FailedPageOptions): string {
  const { code, remedy = options.retryable ? 'retry' : 'investigate', message, tryAgain, home } = options;
  const { title, text } = FAILURES[remedy];
  const body = html`<p>${truncate(message ?? text)}</p>
${actionLinks('Try again', remedy === 'fix_code' ? undefined : tryAgain, home)}
<p class="clinician-note">Code: <code>${truncate(code)}</code></p>`;
  return page({ ...options, title, body });
}

export interface PendingPageOptions extends PageOptions {
  /** The page that requires a verified clinician: it opens once the clinician is verified. */
  checkAgain?: string | undefined;
}

/**
 * Returns the page for a clinician who is not verified yet (service spec, `verified`: a manual check can take up to three days).
 */
export function pendingPage(options: PendingPageOptions): string {
  const body = html`<p>You are signed in. The sign-in service is still checking that you are a clinician. This page opens when the check is complete.</p>
<p>The check usually takes a moment. A manual check can take <strong>up to three days</strong>. Meanwhile you do not have to sign in again.</p>
${actionLinks('Check again', options.checkAgain, options.home)}`;
  return page({ ...options, title: 'Your verification is in progress', body });
}

export interface LoggedOutPageOptions extends PageOptions {
  /** The address that starts a sign-in. */
  signInAgain?: string | undefined;
  /** True when the user was signed out at the service too. @default false */
  atService?: boolean | undefined;
}

/** Returns the page that is shown after a sign-out: says whether the user may still be signed in at the service. */
export function loggedOutPage(options: LoggedOutPageOptions): string {
  const { atService = false, signInAgain, home } = options;
  const text = atService
    ? 'You are signed out of this site and of the sign-in service.'
    : 'You are signed out of this site. You may still be signed in at the sign-in service. On a shared computer, also close the browser.';
  const body = html`<p>${text}</p>${actionLinks('Sign in again', signInAgain, home)}`;
  return page({ ...options, title: 'You are signed out', body });
}
