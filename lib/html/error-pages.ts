import { DENIALS } from '../errors/denials.js';
import type { ClinicianError, Remedy } from '../errors/errors.js';
import { developerNotes } from './developer-notes.js';
import { type HTML, html, linkTarget } from './escape.js';
import { type Action, actionLinks, button, type Page, type PageOptions, page, truncate } from './page.js';
import { PAGE_SCRIPT } from './page-script.js';
import { pendingPage } from './pages.js';
import { type CompleteTexts, ENGLISH, fill, paragraph, type Topic } from './texts.js';

interface ErrorPageOptions extends PageOptions {
  /**
   * @param query more options of the sign-in, as the end of a query
   * @returns the URL that starts a sign-in and returns to a path; undefined if the site has no route for that
   */
  login(returnTo: string, query?: string): string | undefined;
  /** The path of the page that signs out; undefined if the site has no route for that. */
  logout?: string | undefined;
  /** True in development: the page has a part for developers. @default false */
  isDevelopment?: boolean;
}

/** What has failed: a sign-in, or another request. */
type Kind = 'signIn' | 'request';

/** The texts that replace the messages of this package. */
const REASONS = {
  framed_sign_in: 'framedReason',
  cross_site_request: 'crossSiteReason',
  user_changed: 'userChangedReason',
  sign_in_refused: 'signInRefusedReason',
  profile_refused: 'profileRefusedReason',
  verification_pending: 'pendingText',
} as const satisfies Record<keyof typeof DENIALS, keyof CompleteTexts>;

/** The texts by remedy. A denial has its own reason. */
const TOPICS: Readonly<Record<Exclude<Remedy, 'tell_user'>, Readonly<Record<Kind, Topic>>>> = {
  sign_in: { signIn: 'signInExpired', request: 'loginEnded' },
  retry: { signIn: 'unavailable', request: 'unavailable' },
  investigate: { signIn: 'requestFailed', request: 'requestFailed' },
  fix_code: { signIn: 'pageBroken', request: 'pageBroken' },
};

/** The codes of a user who has not signed in yet. */
const NOT_SIGNED_IN: readonly string[] = ['sign_in_required', 'login_link_invalid'];

function topicOf({ code, remedy }: ClinicianError, kind: Kind): Topic | undefined {
  // The session check has ended the login: it is a sign-in without a page.
  if (kind === 'signIn' && code === 'sign_in_required') return 'endedByOtherUser';
  if (NOT_SIGNED_IN.includes(code)) return 'signInNeeded';
  return remedy === 'tell_user' ? undefined : TOPICS[remedy][kind];
}

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
export function signInErrorPage(error: ClinicianError, options: ErrorPageOptions, returnTo: string): Page {
  return pageOf('signIn', error, withNotes(error, options), returnTo);
}

/** @returns the page for any other request that failed. */
export function errorPage(error: ClinicianError, pageOptions: ErrorPageOptions, returnTo: string): Page {
  const options = withNotes(error, pageOptions);
  if (error.code === 'verification_pending') return pendingPage({ ...options, checkAgain: returnTo });
  return pageOf('request', error, options, returnTo);
}

function pageOf(kind: Kind, error: ClinicianError, options: ErrorPageOptions, returnTo: string): Page {
  const { remedy } = error;
  const topic = topicOf(error, kind);
  if (topic === undefined) return refusedPage(kind, error, options, returnTo);
  const isRequest = kind === 'request' && remedy !== 'sign_in';
  const tryAgain = isRequest ? returnTo : options.login(returnTo);
  return failedPage(topic, error, remedy === 'fix_code' ? undefined : tryAgain, options);
}

/** @returns the reason of a denial in the language of the pages. Only the site has its own messages. */
function denialReason({ code, message }: ClinicianError, texts: CompleteTexts): string {
  if (code === 'scope_missing') return texts.approvalText;
  // The description of the service is for developers (RFC 6749 section 4.1.2.1).
  if (code === 'access_denied') return texts.declinedText;
  const known = Object.entries(DENIALS).find((denial) => denial[0] === code && denial[1] === message);
  return known ? texts[REASONS[known[0] as keyof typeof DENIALS]] : message;
}

/** @returns what a script may show to its user: the text of the page, and in development the message of the error. */
export function userMessage(
  error: ClinicianError,
  kind: Kind,
  { texts = ENGLISH, isDevelopment }: Pick<ErrorPageOptions, 'texts' | 'isDevelopment'>,
): string {
  if (isDevelopment) return error.message;
  const topic = topicOf(error, kind);
  return topic === undefined ? denialReason(error, texts) : texts[`${topic}Text`];
}

/**
 * @returns the page for a form that was not accepted, because the user must sign in first. A redirect would lose its data.
 * @param signIn the URL that starts a sign-in
 */
export function formNotSentPage(error: ClinicianError, pageOptions: ErrorPageOptions, signIn: string): Page {
  const options = withNotes(error, pageOptions);
  const { texts = ENGLISH, home } = options;
  const body = html`${paragraph(texts.formNotSentText)}
${button(texts.signInAgain, signIn, '_blank')}
<p class="clinician-other" data-clinician-back hidden><a href="${linkTarget(home)}">${texts.backToForm}</a></p>`;
  return page({ ...options, title: texts.formNotSentTitle, body, script: PAGE_SCRIPT });
}

/** @returns the page for an authorization response that a signed-in user sends again: mostly by the back button. */
export function signedInAlreadyPage(options: PageOptions): Page {
  const { texts = ENGLISH } = options;
  return deniedPage({ ...options, title: texts.signedInTitle, reason: texts.signedInAlreadyText });
}

/** The denials that another user may not get. */
const OF_USER: readonly string[] = ['sign_in_refused'];
/** Those of a signed-in user, who must sign out before another user can sign in. */
const OF_SIGNED_IN_USER: readonly string[] = ['profile_refused', 'user_changed'];

/** @returns the page of a denial, with the actions that can help: the link of the site, and another sign-in. */
function refusedPage(kind: Kind, error: ClinicianError, options: ErrorPageOptions, returnTo: string): Page {
  const { texts = ENGLISH } = options;
  const { code, link } = error;
  const signIn = (label: string, query?: string): Action[] => {
    const href = options.login(returnTo, query);
    return href === undefined ? [] : [{ label, href }];
  };
  const actions: Action[] = link ? [{ label: truncate(link.label), href: link.url }] : [];
  if (code === 'scope_missing') actions.push(...signIn(texts.signInAgain));
  if (code === 'access_denied') actions.push(...signIn(texts.tryAgain));
  if (OF_USER.includes(code)) actions.push(...signIn(texts.useOtherAccount, '&prompt=login'));
  if (OF_SIGNED_IN_USER.includes(code) && options.logout) actions.push({ label: texts.signOut, href: options.logout });
  const title = kind === 'signIn' ? undefined : texts.requestDeniedTitle;
  return deniedPage({ ...options, title, reason: denialReason(error, texts), actions });
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
  const body = html`${reason !== undefined && html`<p><bdi>${truncate(reason)}</bdi></p>`}
${actionLinks(first?.label ?? '', first?.href, options, others)}`;
  return page({ ...options, title: title ?? texts.deniedTitle, body });
}

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
  const again = remedy === 'sign_in' ? 'signInAgain' : 'tryAgain';
  const label = topic === 'signInNeeded' ? 'signIn' : again;
  const body = html`${paragraph(text)}
${retryText(retryAt, texts)}
${(tryAgain !== undefined || status !== 401) && actionLinks(texts[label], tryAgain, options)}
<p class="clinician-note">${fill(texts.errorCode, { code: html`<code>${truncate(code)}</code>` })}</p>`;
  const title = texts[`${topic}Title`];
  return page({ ...options, title, body, ...(retryAt !== undefined && { script: PAGE_SCRIPT }) });
}
