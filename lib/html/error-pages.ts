import { DENIALS } from '../errors/denials.js';
import { MEANINGS, REMEDIES } from '../errors/error-codes.js';
import { type ClinicianError, type Remedy, summarizeError } from '../errors/errors.js';
import { type HTML, html, linkTarget } from './escape.js';
import { type Action, button, PAGE_SCRIPT, type Page, type PageLook, page } from './page.js';
import { type CompleteTexts, fill, paragraph, type Topic } from './texts.js';

type Kind = 'signIn' | 'request';

/** What has failed, and what the user can do about it. */
interface Failed {
  kind: Kind;
  /** The URL that starts a sign-in and returns; undefined if the site has no route for that. */
  signIn: string | undefined;
  /** The path of the request that failed. */
  returnTo: string;
  /** True in development: the page has a part for developers. */
  isDevelopment: boolean;
}

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

/** @returns the reason of a denial in the language of the pages; undefined for a message of the site. */
function denialText({ code, message }: ClinicianError, texts: CompleteTexts): string | undefined {
  if (code === 'scope_missing') return texts.approvalText;
  // The description of the service is for developers (RFC 6749 section 4.1.2.1).
  if (code === 'access_denied') return texts.declinedText;
  const known = Object.entries(DENIALS).find((denial) => denial[0] === code && denial[1] === message);
  return known && texts[REASONS[known[0] as keyof typeof DENIALS]];
}

/** @returns what a script may show to its user: the text of the page, and in development the message of the error. */
export function userMessage(error: ClinicianError, kind: Kind, texts: CompleteTexts, isDevelopment = false): string {
  if (isDevelopment) return error.message;
  const topic = topicOf(error, kind);
  return topic === undefined ? (denialText(error, texts) ?? error.message) : texts[`${topic}Text`];
}

/** @returns the page of an error: what the user can do, and outside of development no detail. */
export function errorPage(look: PageLook, error: ClinicianError, failed: Failed): Page {
  const topic = topicOf(error, failed.kind);
  return topic === undefined ? refusedPage(look, error, failed) : failedPage(look, topic, error, failed);
}

/** @returns the page of a request that failed, or of a sign-in, with the code of the error for a support request. */
function failedPage(look: PageLook, topic: Topic, error: ClinicianError, failed: Failed): Page {
  const { texts } = look;
  const { remedy, retryAt, status } = error;
  const again = remedy === 'sign_in' ? 'signInAgain' : 'tryAgain';
  const label = texts[topic === 'signInNeeded' ? 'signIn' : again];
  const tryAgain = failed.kind === 'request' && remedy !== 'sign_in' ? failed.returnTo : failed.signIn;
  // Another try would fail again.
  const href = remedy === 'fix_code' ? undefined : tryAgain;
  // A guard may refuse the front page too.
  const front = status === 401 ? undefined : [];
  return page(look, {
    title: texts[`${topic}Title`],
    body: html`${paragraph(texts[`${topic}Text`])}${retryText(retryAt, texts)}`,
    actions: href === undefined ? front : [{ label, href }],
    notes: failed.isDevelopment
      ? developerNotes(error, look)
      : html`<p class="clinician-note">${codeText(error, look)}</p>`,
    script: retryAt === undefined ? undefined : PAGE_SCRIPT,
  });
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

/** @returns the page of a denial, with what can help: the link of the site first. The user may be signed in by other means. */
function refusedPage(look: PageLook, error: ClinicianError, failed: Failed): Page {
  const { texts } = look;
  const { code, link, message } = error;
  const isPending = code === 'verification_pending' && failed.kind === 'request';
  const titles: Record<Kind, string> = { signIn: texts.deniedTitle, request: texts.requestDeniedTitle };
  const text = isPending ? texts.pendingText : denialText(error, texts);
  const actions = [link && { label: truncate(link.label), href: link.url }, helpFor(code, look, failed)];
  return page(look, {
    title: isPending ? texts.pendingTitle : titles[failed.kind],
    body: text === undefined ? html`<p><bdi>${truncate(message)}</bdi></p>` : paragraph(text),
    actions: actions.filter((action) => action !== undefined),
    notes: failed.isDevelopment ? developerNotes(error, look) : undefined,
  });
}

function helpFor(code: string, { texts, logout }: PageLook, { kind, signIn, returnTo }: Failed): Action | undefined {
  const to = (label: string, href: string | undefined) => (href === undefined ? undefined : { label, href });
  switch (code) {
    case 'verification_pending':
      return kind === 'request' ? { label: texts.checkAgain, href: returnTo } : undefined;
    case 'scope_missing':
      return to(texts.signInAgain, signIn);
    case 'access_denied':
      return to(texts.tryAgain, signIn);
    // Another user may be accepted.
    case 'sign_in_refused':
      return to(texts.useOtherAccount, signIn && `${signIn}&prompt=login`);
    // The signed-in user must sign out before.
    case 'profile_refused':
    case 'user_changed':
      return to(texts.signOut, logout);
    default:
      return undefined;
  }
}

/** @returns the page for a form that was not accepted, because the user must sign in first. A redirect would lose its data. */
export function formNotSentPage(look: PageLook, error: ClinicianError, signIn: string, isDevelopment: boolean): Page {
  const { texts } = look;
  const body = html`${paragraph(texts.formNotSentText)}
${button(texts.signInAgain, signIn, { target: '_blank' })}
<p class="clinician-other" data-clinician-back hidden><a href="${linkTarget(look.home)}">${texts.backToForm}</a></p>`;
  const notes = isDevelopment ? developerNotes(error, look) : undefined;
  return page(look, { title: texts.formNotSentTitle, body, notes, script: PAGE_SCRIPT });
}

/** The messages of this package are shorter. */
const MAX_MESSAGE_LENGTH = 2000;

export function developerText({ message, cause }: ClinicianError): string {
  const text = cause === undefined ? message : `${message} Cause: ${summarizeError(cause).message}`;
  // A name of code, such as `clinicianLogin()`, does not get a capital.
  const start = /^passport-clinician: ([a-z](?=[a-z]* ))?/;
  return text.replace(start, (_, letter = '') => letter.toUpperCase()).slice(0, MAX_MESSAGE_LENGTH);
}

function codeText({ code }: ClinicianError, { texts }: PageLook): HTML {
  return fill(texts.errorCode, { code: html`<code>${truncate(code)}</code>` });
}

function developerNotes(error: ClinicianError, look: PageLook): HTML {
  const { code, remedy, see } = error;
  const text = developerText(error);
  const meaning = MEANINGS.get(code)?.meaning ?? 'The service responded with this error.';
  return html`<div class="clinician-note"><p>${codeText(error, look)}</p>
<details lang="en" dir="ltr">
<summary>For developers</summary>
${text && html`<p><bdi>${text}</bdi></p>`}
<p>${meaning.replaceAll('`', '')} See ${linkTo(see)}.</p>
<p>What to do (<code>${remedy}</code>): ${REMEDIES[remedy]}.</p>
<p>This part is for development: NODE_ENV is development or test, or it is not production and callbackURL is on localhost.</p>
${look.inspector && button('Open in the inspector', look.inspector, { target: '_blank', variant: 'outline' })}
</details></div>`;
}

/** A path in the repository is no link. */
function linkTo(see: string): HTML {
  return see.startsWith('https:') ? html`<a href="${see}">${see}</a>` : html`<code>${see}</code>`;
}

const MAX_TEXT_LENGTH = 300;

/** Shortens a text of the service or the site, so that it does not fill the page. */
function truncate(text: string): string {
  const characters = [...text.slice(0, MAX_TEXT_LENGTH * 2 + 2)];
  return characters.length > MAX_TEXT_LENGTH ? `${characters.slice(0, MAX_TEXT_LENGTH).join('')}...` : text;
}
