import { type APPROVALS, DENIALS, hasApproval } from '../errors/denials.js';
import type { ClinicianError, ErrorCode, OAuthErrorCode, Remedy } from '../errors/errors.js';
import { developerNotes } from './developer-notes.js';
import { type HTML, html, linkTarget } from './escape.js';
import { type Action, actionLinks, button, type Page, type PageOptions, page, truncate } from './page.js';
import { pendingPage } from './pages.js';
import { type CompleteTexts, ENGLISH, fill, paragraph, type Topic } from './texts.js';

interface ErrorPageOptions extends PageOptions {
  /**
   * @param query more options of the sign-in, as the end of a query
   * @returns the URL that starts a sign-in and returns to a path; undefined if the site has no route for that
   */
  login(returnTo: string, query?: string): string | undefined;
  /** True in development: the page has a part for developers. @default false */
  isDevelopment?: boolean;
}

/** The texts that ask the user to approve a scope. */
const APPROVE = { basic: 'approveBasic', colleagues: 'approveColleagues', email: 'approveEmail' } as const satisfies {
  [Scope in keyof typeof APPROVALS]: keyof CompleteTexts;
};

/** The texts that replace the messages of this package. */
const REASONS = {
  framed_sign_in: 'framedReason',
  cross_site_request: 'crossSiteReason',
  user_change_unconfirmed: 'otherUserReason',
  sign_in_refused: 'signInRefusedReason',
  profile_refused: 'profileRefusedReason',
  verification_pending: 'pendingReason',
} as const satisfies Record<keyof typeof DENIALS, keyof CompleteTexts>;

/** The texts by remedy: of a sign-in that failed, and of another request. A denial has its own reason. */
const TOPICS: Readonly<Record<Exclude<Remedy, 'tell_user'>, Readonly<Record<'signIn' | 'request', Topic>>>> = {
  sign_in: { signIn: 'signInExpired', request: 'loginEnded' },
  retry: { signIn: 'serviceDown', request: 'unavailable' },
  investigate: { signIn: 'signInFailed', request: 'requestFailed' },
  fix_code: { signIn: 'signInBroken', request: 'pageBroken' },
};

type Show = (error: ClinicianError, options: ErrorPageOptions, returnTo: string) => Page;

/** The page of a code, for a failed sign-in and for another request: texts, or its own page. */
interface OwnPage {
  readonly signIn?: Topic | Show;
  readonly request?: Topic | Show;
}

/** @returns the same page for a failed sign-in and for another request. */
function always(shown: Topic | Show): OwnPage {
  return { signIn: shown, request: shown };
}

const SESSION_NOT_SAVED = always((error, options) => failedPage('sessionNotSaved', error, undefined, options));

/** The codes for which the text of the remedy would not help. */
const OWN_PAGES: Readonly<Partial<Record<ErrorCode | OAuthErrorCode, OwnPage>>> = {
  // The description of the service is for developers (RFC 6749 section 4.1.2.1).
  access_denied: { signIn: 'declined' },
  session_not_saved: SESSION_NOT_SAVED,
  tokens_in_memory: SESSION_NOT_SAVED,
  rate_limited: always('rateLimited'),
  login_link_invalid: { signIn: 'linkInvalid' },
  transaction_missing: { signIn: 'signInUnknown' },
  user_changed: { signIn: (_error, options, returnTo) => userChangedPage(options.login(returnTo), options) },
  recent_login_required: { request: 'recentLogin' },
  verification_pending: {
    request: (_error, options, returnTo) => pendingPage({ ...options, checkAgain: returnTo }),
  },
  sign_in_required: { request: 'signInNeeded' },
  scope_missing: {
    signIn: (...failed) => approvalPage('deniedTitle', ...failed),
    request: (...failed) => approvalPage('approvalNeededTitle', ...failed),
  },
};

/** @returns when the user can try again, in minutes rounded up: `Try again after 14:05 (UTC).` The script shows the local time. */
function retryText(retryAt: number | undefined, texts: CompleteTexts): HTML | undefined {
  if (retryAt === undefined) return undefined;
  const time = new Date(Math.ceil(retryAt / 60_000) * 60_000).toISOString();
  return paragraph(texts.retryAfter, {
    time: html`<time data-clinician-time datetime="${time}">${time.slice(11, 16)}</time>`,
    zone: html`<span data-clinician-zone> (UTC)</span>`,
  });
}

/** @returns the options of the page of an error, with a part for developers in development. */
function withNotes(error: ClinicianError, options: ErrorPageOptions): ErrorPageOptions {
  return options.isDevelopment ? { ...options, notes: developerNotes(error) } : options;
}

/** @returns the page for a sign-in that failed: what the user can do, and no detail that would help an attacker. */
export function signInErrorPage(error: ClinicianError, pageOptions: ErrorPageOptions, returnTo: string): Page {
  const options = withNotes(error, pageOptions);
  const { remedy } = error;
  const own = OWN_PAGES[error.code]?.signIn;
  if (typeof own === 'function') return own(error, options, returnTo);
  const tryAgain = options.login(returnTo);
  if (own !== undefined) return failedPage(own, error, tryAgain, options);
  if (remedy === 'tell_user') return refusedPage(error, undefined, options, returnTo);
  return failedPage(TOPICS[remedy].signIn, error, remedy === 'fix_code' ? undefined : tryAgain, options);
}

/** @returns the page for any other request that failed. */
export function errorPage(error: ClinicianError, pageOptions: ErrorPageOptions, returnTo: string): Page {
  const options = withNotes(error, pageOptions);
  const { remedy } = error;
  const own = OWN_PAGES[error.code]?.request;
  if (typeof own === 'function') return own(error, options, returnTo);
  const tryAgain = remedy === 'sign_in' ? options.login(returnTo) : returnTo;
  if (own !== undefined) return failedPage(own, error, tryAgain, options);
  const { texts = ENGLISH } = options;
  if (remedy === 'tell_user') return refusedPage(error, texts.requestDeniedTitle, options, returnTo);
  return failedPage(TOPICS[remedy].request, error, remedy === 'fix_code' ? undefined : tryAgain, options);
}

/** @returns the reason of a denial in the language of the pages: what to approve, or the message. Only the site has its own messages. */
function denialReason({ code, message, scope }: ClinicianError, texts: CompleteTexts): string {
  if (code === 'scope_missing') return texts[hasApproval(scope) ? APPROVE[scope] : 'approveOther'];
  const known = Object.entries(DENIALS).find((denial) => denial[0] === code && denial[1] === message);
  return known ? texts[REASONS[known[0] as keyof typeof DENIALS]] : message;
}

/** @returns what a script may show to its user: the text of the page, and in development the message of the error. */
export function userMessage(
  error: ClinicianError,
  kind: keyof OwnPage,
  { texts = ENGLISH, isDevelopment }: Pick<ErrorPageOptions, 'texts' | 'isDevelopment'>,
): string {
  const { code, message, remedy } = error;
  if (isDevelopment) return message;
  const own = OWN_PAGES[code]?.[kind];
  if (typeof own === 'string') return texts[`${own}Text`];
  return remedy === 'tell_user' ? denialReason(error, texts) : texts[`${TOPICS[remedy][kind]}Text`];
}

/**
 * @returns the page for a form that was not accepted, because the user must sign in first. A redirect would lose its data.
 * @param signIn the URL that starts a sign-in
 */
export function formNotSentPage(error: ClinicianError, pageOptions: ErrorPageOptions, signIn: string): Page {
  const options = withNotes(error, pageOptions);
  const { texts = ENGLISH, home } = options;
  const body = html`${paragraph(texts.formNotSentText)}
${paragraph(texts.formNotSentHint)}
${button(texts.signInInTab, signIn, '_blank')}
<p class="clinician-other" data-clinician-back hidden><a href="${linkTarget(home)}">${texts.backToForm}</a></p>`;
  return page({ ...options, title: texts.formNotSentTitle, body, hasScript: true });
}

/** @returns the page for a user who was signed out because another user has signed in at the service. */
function userChangedPage(signIn: string | undefined, options: PageOptions): Page {
  const { texts = ENGLISH } = options;
  const body = html`${paragraph(texts.otherUserEndedText)}
${paragraph(texts.otherUserEndedHint)}
${actionLinks(texts.otherUserEndedAction, signIn, options)}`;
  return page({ ...options, title: texts.otherUserEndedTitle, body });
}

/** @returns the page for an authorization response that a signed-in user sends again: mostly by the back button. */
export function signedInAlreadyPage(options: PageOptions): Page {
  const { texts = ENGLISH } = options;
  return deniedPage({ ...options, title: texts.signedInTitle, reason: texts.signedInAlreadyText });
}

/** The denials that another user may not get. */
const OF_USER: readonly string[] = ['sign_in_refused', 'profile_refused'];

/** @returns the page of a denial, with the actions that can help: the link of the site, and another user. */
function refusedPage(
  error: ClinicianError,
  title: string | undefined,
  options: ErrorPageOptions,
  returnTo: string,
): Page {
  const { texts = ENGLISH } = options;
  const { code, link } = error;
  const actions: Action[] = [];
  if (link) actions.push({ label: truncate(link.label), href: link.url });
  const asOther = OF_USER.includes(code) ? options.login(returnTo, '&prompt=login') : undefined;
  if (asOther) actions.push({ label: texts.useOtherAccount, href: asOther });
  const reason = denialReason(error, texts);
  return deniedPage({ ...options, title, reason, actions });
}

/** @returns the page for a scope that was not granted: the user can approve it. */
function approvalPage(
  title: 'deniedTitle' | 'approvalNeededTitle',
  error: ClinicianError,
  options: ErrorPageOptions,
  returnTo: string,
): Page {
  const { texts = ENGLISH } = options;
  const reason = denialReason(error, texts);
  const body = html`${reasonText(reason)}
${actionLinks(texts.signInAgain, options.login(returnTo), options)}`;
  return page({ ...options, title: texts[title], body });
}

interface DeniedPageOptions extends PageOptions {
  /** What can help; the first is the button. @default only the link to the front page */
  actions?: readonly Action[];
  /** A heading for a denial that is not of a sign-in. @default text `deniedTitle` */
  title?: string | undefined;
  /** The reason, from the site. */
  reason?: string | undefined;
}

/** @returns the page that is shown when the service or the site denied a request. The user may be signed in by other means. */
export function deniedPage(options: DeniedPageOptions): Page {
  const { title, reason, actions: [first, ...others] = [], texts = ENGLISH } = options;
  const isSignIn = title === undefined;
  const body = html`${isSignIn && reason !== undefined && html`<p class="clinician-note">${texts.deniedReason}</p>`}
${reasonText(reason, isSignIn ? 'clinician-reason' : undefined)}
${actionLinks(first?.label ?? '', first?.href, options, others)}`;
  return page({ ...options, title: title ?? texts.deniedTitle, body });
}

function reasonText(reason: string | undefined, className?: string): HTML | undefined {
  if (reason === undefined) return undefined;
  return html`<p${className !== undefined && html` class="${className}"`}><bdi>${truncate(reason)}</bdi></p>`;
}

/** The label of the button of a code, if it does not try again. */
const ACTIONS: Readonly<Partial<Record<ClinicianError['code'], keyof CompleteTexts>>> = {
  sign_in_required: 'signIn',
  login_link_invalid: 'signIn',
};

/**
 * @param error its code is shown small, for a support request
 * @param tryAgain undefined if another try would fail again: the button leads to the front page, unless a guard may refuse that too
 */
function failedPage(
  topic: Topic,
  error: ClinicianError,
  tryAgain: string | undefined,
  options: ErrorPageOptions,
): Page {
  const { texts = ENGLISH } = options;
  const { code, remedy, retryAt, status } = error;
  const text = texts[`${topic}Text`];
  const label = ACTIONS[code] ?? (remedy === 'sign_in' ? 'signInAgain' : 'tryAgain');
  const body = html`${paragraph(text)}
${retryText(retryAt, texts)}
${(tryAgain !== undefined || status !== 401) && actionLinks(texts[label], tryAgain, options)}
<p class="clinician-note">${fill(texts.errorCode, { code: html`<code>${truncate(code)}</code>` })}</p>`;
  const title = texts[`${topic}Title`];
  return page({ ...options, title, body, hasScript: retryAt !== undefined });
}
