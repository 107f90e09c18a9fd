import type { ClinicianError, ErrorCode, OAuthErrorCode, Remedy } from '../errors/errors.js';
import { type HTML, html } from './escape.js';
import { actionLinks, type PageOptions, page, truncate } from './page.js';
import { pendingPage } from './pages.js';

interface ErrorPageOptions extends PageOptions {
  /** @returns the URL that starts a sign-in and returns to a path. */
  login(returnTo: string): string;
}

interface Text {
  title: string;
  text: string;
}

/** The texts by remedy: of a sign-in that failed, and of another request. A denial has its own reason. */
const TEXTS: Readonly<Record<Exclude<Remedy, 'tell_user'>, Readonly<Record<'signIn' | 'request', Text>>>> = {
  sign_in: {
    signIn: {
      title: 'Please sign in again',
      text: 'This sign-in could not be completed. It took too long, or it was started in another browser.',
    },
    request: { title: 'Please sign in again', text: 'Your sign-in has ended.' },
  },
  retry: {
    signIn: {
      title: 'The sign-in service is not responding',
      text: 'This usually passes quickly. Please try again in a moment.',
    },
    request: {
      title: 'Please try again in a moment',
      text: 'A service that this site needs is unavailable. This usually passes quickly. You are still signed in.',
    },
  },
  investigate: {
    signIn: {
      title: 'We could not sign you in',
      text: 'The response of the sign-in service failed a security check. Please try again. If it happens again, send the code below to the people who run this site.',
    },
    request: {
      title: 'The request failed',
      text: 'The service sent an invalid response, so this site did not use it. Please try again.',
    },
  },
  fix_code: {
    signIn: {
      title: 'Sign-in is not working on this site',
      text: 'You did nothing wrong. Please send the code below to the people who run this site.',
    },
    request: {
      title: 'This page is not working',
      text: 'This site has a problem. Please send the code below to the people who run it.',
    },
  },
};

type Show = (error: ClinicianError, options: ErrorPageOptions, returnTo: string) => string;

/** The page of a code, for a failed sign-in and for another request: a text, or its own page. */
interface OwnPage {
  readonly signIn?: Text | Show;
  readonly request?: Text | Show;
}

/** @returns the same page for a failed sign-in and for another request. */
function always(shown: Text | Show): OwnPage {
  return { signIn: shown, request: shown };
}

const SESSION_NOT_SAVED = always((error, options, returnTo) => {
  const text =
    'You signed in, but this site did not save your session. Trying again rarely helps: please send the code below to the people who run this site.';
  return failedPage({ title: 'Your sign-in was not saved', text }, error, options.login(returnTo), options);
});

const RATE_LIMITED = always({
  title: 'Too many requests',
  text: 'The sign-in service limits how often this site can read your profile.',
});

/** The codes for which the text of the remedy would not help. */
const OWN_PAGES: Readonly<Partial<Record<ErrorCode | OAuthErrorCode, OwnPage>>> = {
  session_not_saved: SESSION_NOT_SAVED,
  tokens_in_memory: SESSION_NOT_SAVED,
  rate_limited: RATE_LIMITED,
  too_many_requests_at_once: RATE_LIMITED,
  login_link_invalid: {
    signIn: {
      title: 'This link does not work',
      text: 'The link that led here is not valid. Start the sign-in here instead.',
    },
  },
  transaction_missing: {
    // The error's own message names cookies, which the browser may block.
    signIn: (error, options, returnTo) =>
      failedPage({ ...TEXTS.sign_in.signIn, text: error.message }, error, options.login(returnTo), options),
  },
  user_changed: { signIn: (_error, options, returnTo) => userChangedPage(options.login(returnTo), options) },
  recent_login_required: {
    request: {
      title: 'Confirm that it is you',
      text: 'This page needs a recent sign-in. Sign in again to continue.',
    },
  },
  verification_pending: {
    request: (_error, options, returnTo) => pendingPage({ ...options, checkAgain: returnTo }),
  },
  scope_missing: {
    request: ({ message }, options, returnTo) =>
      deniedPage({
        ...options,
        tryAgain: options.login(returnTo),
        title: 'This page needs your approval',
        reason: message,
      }),
  },
};

/** @returns when the user can try again, in minutes rounded up: `Try again after 14:05 UTC.` */
function retryText(retryAt: number | undefined): HTML | undefined {
  if (retryAt === undefined) return undefined;
  const time = new Date(Math.ceil(retryAt / 60_000) * 60_000).toISOString();
  return html`<p>Try again after <time datetime="${time}">${time.slice(11, 16)} UTC</time>.</p>`;
}

/** @returns the page for a sign-in that failed: what the user can do, and no detail that would help an attacker. */
export function signInErrorPage(error: ClinicianError, options: ErrorPageOptions, returnTo: string): string {
  const { remedy, message: reason } = error;
  const own = OWN_PAGES[error.code]?.signIn;
  if (typeof own === 'function') return own(error, options, returnTo);
  const tryAgain = options.login(returnTo);
  if (own !== undefined) return failedPage(own, error, tryAgain, options);
  if (remedy === 'tell_user') return deniedPage({ ...options, tryAgain, reason });
  return failedPage(TEXTS[remedy].signIn, error, remedy === 'fix_code' ? undefined : tryAgain, options);
}

/** @returns the page for any other request that failed. */
export function errorPage(error: ClinicianError, options: ErrorPageOptions, returnTo: string): string {
  const { remedy, message: reason } = error;
  const own = OWN_PAGES[error.code]?.request;
  if (typeof own === 'function') return own(error, options, returnTo);
  const tryAgain = remedy === 'sign_in' ? options.login(returnTo) : returnTo;
  if (own !== undefined) return failedPage(own, error, tryAgain, options);
  if (remedy === 'tell_user') return deniedPage({ ...options, tryAgain, title: 'Request denied', reason });
  return failedPage(TEXTS[remedy].request, error, tryAgain, options);
}

/** @returns the page for a user who was signed out because another user has signed in at the service. */
function userChangedPage(signIn: string, options: PageOptions): string {
  const body = html`<p>Another user has signed in at the sign-in service in this browser, so this site has signed you out.</p>
<p>If you are that user, sign in to continue.</p>
${actionLinks('Sign in', signIn, options)}`;
  return page({ ...options, title: 'You are signed out', body });
}

/** @returns the page for an authorization response that a signed-in user sends again: mostly by the back button. */
export function signedInAlreadyPage(options: PageOptions): string {
  const reason = 'This sign-in is already finished. You can close this page or go to the front page.';
  return deniedPage({ ...options, title: 'You are signed in', reason });
}

interface DeniedPageOptions extends PageOptions {
  /** The address that starts another try. */
  tryAgain?: string | undefined;
  /** A heading for a denial that is not of a sign-in: the page then shows only the reason. @default 'You are not signed in' */
  title?: string | undefined;
  /** The reason, from the service or the site. */
  reason?: string | undefined;
}

/** @returns the page that is shown when the user, the service or the site denied a request. */
export function deniedPage(options: DeniedPageOptions): string {
  const { title, reason, tryAgain } = options;
  const body = html`${title === undefined ? signInDenied(reason, tryAgain) : reasonText(reason)}
${actionLinks('Try again', tryAgain, options)}`;
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

/** @param error its code is shown small, for a support request @param tryAgain undefined where another try would fail again */
function failedPage(
  { title, text }: Text,
  { code, retryAt }: ClinicianError,
  tryAgain: string | undefined,
  options: PageOptions,
): string {
  const body = html`<p>${truncate(text)}</p>
${retryText(retryAt)}
${actionLinks('Try again', tryAgain, options)}
<p class="clinician-note">Code: <code>${truncate(code)}</code></p>`;
  return page({ ...options, title, body });
}
