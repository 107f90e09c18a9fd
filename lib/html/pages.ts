import { type HTML, html, linkTarget } from './escape.js';
import { actionLinks, type Page, type PageOptions, page, submitButton, truncate } from './page.js';
import { type CompleteTexts, ENGLISH, fill, paragraph } from './texts.js';

interface ContinuePageOptions extends PageOptions {
  /** The address that the browser is redirected to; the button is for a browser that does not follow. */
  next: string;
}

/** @returns the page between the service's response and the page that was requested. It is shown for a moment. */
export function continuePage(options: ContinuePageOptions): Page {
  const { texts = ENGLISH } = options;
  const body = actionLinks(texts.continue, options.next, options);
  return page({ ...options, title: texts.signingInTitle, body });
}

/**
 * @returns the page that asks before a sign-in continues which a page of another site has started.
 * @param options.next the address that continues it
 */
export function confirmSignInPage({ next, ...options }: ContinuePageOptions): Page {
  const { texts = ENGLISH } = options;
  const body = html`${paragraph(texts.confirmSignInText)}
${actionLinks(texts.continue, next, options)}`;
  return page({ ...options, title: texts.confirmSignInTitle, body });
}

interface PopupPageOptions extends PageOptions {
  /** The page that the sign-in was started for: for a browser that does not close the popup. */
  returnTo?: string | undefined;
}

/** @returns the last page of a sign-in in a popup: its script notifies the page that opened the popup, and closes it. */
export function popupPage(options: PopupPageOptions): Page {
  const { returnTo, home, texts = ENGLISH } = options;
  const body = html`<div data-clinician-popup="signed-in" data-return-to="${linkTarget(returnTo, linkTarget(home))}"></div>
${paragraph(texts.popupText)}
${actionLinks(texts.continue, returnTo, options)}`;
  return page({
    ...options,
    title: texts.signedInTitle,
    body,
    hasScript: true,
    directives: { 'form-action': "'none'" },
  });
}

interface PendingPageOptions extends PageOptions {
  /** The page that requires a verified clinician: it opens once the clinician is verified. */
  checkAgain?: string | undefined;
}

/**
 * @returns the page for a clinician who is not verified yet (service spec, `verified`: a manual check can take up to three days).
 */
export function pendingPage(options: PendingPageOptions): Page {
  const { texts = ENGLISH } = options;
  const body = html`${paragraph(texts.pendingText)}
${actionLinks(texts.checkAgain, options.checkAgain, options)}`;
  return page({ ...options, title: texts.pendingTitle, body });
}

export interface LoggedOutPageOptions extends PageOptions {
  /** The address that starts a sign-in. */
  signInAgain?: string | undefined;
  /**
   * What is known of the session at the service: it has `ended`, it `continues` because the site cannot end it, or it is `unknown`.
   * @default 'unknown'
   */
  sessionAtService?: 'ended' | 'continues' | 'unknown' | undefined;
  /** The host of the service. */
  service?: string | undefined;
}

/** @returns the page that is shown after a sign-out: says whether the user is still signed in at the service. */
export function loggedOutPage(options: LoggedOutPageOptions): Page {
  const { sessionAtService = 'unknown', service, signInAgain, texts = ENGLISH } = options;
  const known = {
    ended: paragraph(texts.signedOutEverywhere),
    continues: paragraph(texts.signedOutHere, { service }),
    unknown: paragraph(texts.signedOutPerhaps),
  };
  const body = html`${known[sessionAtService]}${actionLinks(texts.signInAgain, signInAgain, options)}`;
  return page({ ...options, title: texts.signedOutTitle, body });
}

interface SignOutPageOptions extends PageOptions {
  /** The path that the form posts to. */
  action: string;
}

/** @returns the page that asks before a sign-out: a link must not sign out, because another site can contain it. */
export function signOutPage(options: SignOutPageOptions): Page {
  const { action, texts = ENGLISH } = options;
  const body = html`${paragraph(texts.signOutText)}
${form(action, texts.signOut)}
<p class="clinician-other"><a href="${linkTarget(options.home)}">${texts.staySignedIn}</a></p>`;
  return page({ ...options, title: texts.signOutTitle, body, hasForm: true });
}

interface ServiceLogoutPageOptions extends PageOptions {
  /** The path of this site that redirects to the service. */
  next: string;
}

/**
 * @returns the page that continues a sign-out at the service. A redirect would not: browsers apply the `form-action` of the page
 * with the sign-out form to the redirects after the form, and helmet sets it to `'self'`.
 */
export function serviceLogoutPage(options: ServiceLogoutPageOptions): Page {
  const { texts = ENGLISH } = options;
  const body = html`${paragraph(texts.signingOutText)}
${actionLinks(texts.continue, options.next, options)}`;
  return page({ ...options, title: texts.signedOutTitle, body });
}

interface EndSessionPageOptions extends PageOptions {
  /** The end-session endpoint of the service. */
  action: string;
  /** The parameters of the logout request. */
  fields: Readonly<Record<string, string>>;
  /** The origins that the form leads to: browsers apply form-action to the redirects after a form too. */
  origins: readonly string[];
}

/**
 * @returns the page that continues a sign-out at the service with a POST, so that the ID Token is in no URL. The sandbox gives it an
 * opaque origin: a script of this site that opens it in a window cannot read the ID Token in its form.
 */
export function endSessionPage(options: EndSessionPageOptions): Page {
  const { action, fields, origins, texts = ENGLISH } = options;
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const body = html`${paragraph(texts.signingOutText)}
<form method="post" action="${linkTarget(action)}" data-clinician-submit>${inputs}
${submitButton(texts.continue)}
</form>`;
  const sandbox = 'allow-forms allow-scripts';
  const directives = { 'form-action': formAction(origins) };
  return page({ ...options, title: texts.signedOutTitle, body, hasScript: true, sandbox, directives });
}

function formAction(origins: readonly string[]): string {
  return ["'self'", ...origins].join(' ');
}

interface UserChangePageOptions extends PageOptions {
  /** The path that the form posts to; undefined if the site mounts no login route: the user then signs out first. */
  action: string | undefined;
  /** The path that a form to sign out posts to, if there is no `action`; undefined if the site mounts no such route. */
  signOut?: string | undefined;
  /** The name of the user who is signed in, if it is known. */
  from?: string | undefined;
  /** The name of the user who has signed in at the service, if it is known. */
  to?: string | undefined;
  /** The page that the sign-in was started for. */
  returnTo: string;
  /** The origins of the service, which the form leads to, by redirects. */
  origins: readonly string[];
}

/** @returns the page that asks before another user replaces the one who is signed in. */
export function userChangePage(options: UserChangePageOptions): Page {
  const { action, signOut, from, to, returnTo, origins, texts = ENGLISH } = options;
  const current = named(from, texts.currentUser, texts.currentUserUnnamed);
  const other = named(to, texts.otherUser, texts.otherUserUnnamed);
  const body = html`<p>${current} ${other}</p>
${action === undefined ? paragraph(texts.otherUserSignOut) : changeForm(action, to, texts)}
${action === undefined && signOut !== undefined && form(signOut, texts.signOut)}
<p class="clinician-other"><a href="${linkTarget(returnTo)}">${named(from, texts.stayAs, texts.staySignedIn)}</a></p>`;
  const directives = { 'form-action': formAction(origins) };
  return page({ ...options, title: texts.otherUserTitle, body, directives, hasForm: true });
}

/** @returns a form of one button. The page that contains it has `hasForm`. */
function form(action: string, label: HTML | string, attribute?: HTML): HTML {
  return html`<form method="post" action="${linkTarget(action)}"${attribute}>
${submitButton(label)}
</form>`;
}

/** @returns the text with the name, or the text for an unknown name. */
function named(name: string | undefined, text: string, unnamed: string): HTML {
  return name === undefined ? fill(unnamed) : fill(text, { name: html`<strong><bdi>${truncate(name)}</bdi></strong>` });
}

function changeForm(action: string, to: string | undefined, texts: CompleteTexts): HTML {
  return html`${paragraph(texts.otherUserWarning)}
${form(action, named(to, texts.continueAs, texts.continueAsUnnamed), html` data-clinician-user-change`)}`;
}

interface SignInAgainPageOptions extends PageOptions {
  /** The URL that starts the sign-in. */
  signIn: string;
}

/** @returns the page for a signed-in user who has followed a link of another site to the login route. */
export function signInAgainPage(options: SignInAgainPageOptions): Page {
  const { texts = ENGLISH } = options;
  const body = html`${paragraph(texts.repeatSignInText)}
${actionLinks(texts.signInAgain, options.signIn, options)}`;
  return page({ ...options, title: texts.repeatSignInTitle, body });
}
