import { type HTML, html, linkTarget } from './escape.js';
import { actionLinks, type PageOptions, page, truncate } from './page.js';

interface ContinuePageOptions extends PageOptions {
  /** The address that the browser is redirected to; the button is for a browser that does not follow. */
  next: string;
}

/** @returns the page between the service's response and the page that was requested. It is shown for a moment. */
export function continuePage(options: ContinuePageOptions): string {
  const body = html`<p>One moment, please.</p>
${actionLinks('Continue', options.next, options)}`;
  return page({ ...options, title: 'You are being signed in', body });
}

/**
 * @returns the page that asks before a sign-in continues which a page of another site has started.
 * @param options.next the address that continues it
 */
export function confirmSignInPage({ next, ...options }: ContinuePageOptions): string {
  const body = html`<p>A link on another site has started this sign-in. Continue only if you want to sign in to this site.</p>
${actionLinks('Continue', next, options)}`;
  return page({ ...options, title: 'Sign in to this site?', body });
}

interface FragmentPageOptions extends PageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
}

/** @returns the page at the callback whose script posts the authorization response in the fragment to the site. */
export function fragmentPage(options: FragmentPageOptions): string {
  const body = html`<div data-clinician-fragment></div>
<p>One moment, please.</p>
<noscript><p>This sign-in needs JavaScript. Turn it on and start again.</p></noscript>
${actionLinks('Continue', undefined, options)}`;
  return page({ ...options, title: 'You are being signed in', body });
}

/** The Content-Security-Policy of {@link fragmentPage}. */
export const fragmentPolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface PopupPageOptions extends PageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
  /** The page that the sign-in was started for: for a browser that does not close the popup. */
  returnTo?: string | undefined;
}

/** @returns the last page of a sign-in in a popup: its script notifies the page that opened the popup, and closes it. */
export function popupPage(options: PopupPageOptions): string {
  const body = html`<div data-clinician-popup="signed-in" data-return-to="${linkTarget(options.returnTo, linkTarget(options.home))}"></div>
<p>This window closes automatically. If it stays open, close it or continue here.</p>
${actionLinks('Continue', options.returnTo, options)}`;
  return page({ ...options, title: 'You are signed in', body });
}

/** The Content-Security-Policy of {@link popupPage}. */
export const popupPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface PendingPageOptions extends PageOptions {
  /** The page that requires a verified clinician: it opens once the clinician is verified. */
  checkAgain?: string | undefined;
}

/**
 * @returns the page for a clinician who is not verified yet (service spec, `verified`: a manual check can take up to three days).
 */
export function pendingPage(options: PendingPageOptions): string {
  const body = html`<p>You are signed in. The sign-in service is still checking that you are a clinician. This page opens when the check is complete.</p>
<p>The check usually takes a moment. A manual check can take <strong>up to three days</strong>. Meanwhile you do not have to sign in again.</p>
${actionLinks('Check again', options.checkAgain, options)}`;
  return page({ ...options, title: 'Your verification is in progress', body });
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
export function loggedOutPage(options: LoggedOutPageOptions): string {
  const { sessionAtService = 'unknown', service = 'the sign-in service', signInAgain } = options;
  const texts = {
    ended: html`<p>You are signed out of this site and of the sign-in service.</p>`,
    continues: html`<p>You are signed out of this site. <strong>You are still signed in at the sign-in service</strong>: this site cannot sign you out there.</p>
<p>To end that session too, sign out at <bdi>${service}</bdi>. On a shared computer, also close all windows of the browser.</p>`,
    unknown: html`<p>You are signed out of this site. You may still be signed in at the sign-in service. On a shared computer, also close the browser.</p>`,
  };
  const body = html`${texts[sessionAtService]}${actionLinks('Sign in again', signInAgain, options)}`;
  return page({ ...options, title: 'You are signed out', body });
}

interface SignOutPageOptions extends PageOptions {
  /** The path that the form posts to. */
  action: string;
  csrfToken: string;
}

/** @returns the page that asks before a sign-out: a link must not sign out, because another site can contain it. */
export function signOutPage(options: SignOutPageOptions): string {
  const { action, csrfToken } = options;
  const body = html`<p>You will be signed out of this site. Where possible, you are also signed out of the sign-in service.</p>
<form method="post" action="${linkTarget(action)}"><input type="hidden" name="_csrf" value="${csrfToken}">
<button class="clinician-button clinician-button-auto clinician-button-medium" type="submit"><span>Sign out</span></button>
</form>
<p class="clinician-other"><a href="${linkTarget(options.home)}">Stay signed in</a></p>`;
  return page({ ...options, title: 'Sign out?', body });
}

interface ServiceLogoutPageOptions extends PageOptions {
  /** The path of this site that redirects to the service. */
  next: string;
}

/**
 * @returns the page that continues a sign-out at the service. A redirect would not: browsers apply the `form-action` of the page
 * with the sign-out form to the redirects after the form, and helmet sets it to `'self'`.
 */
export function serviceLogoutPage(options: ServiceLogoutPageOptions): string {
  const body = html`<p>You are signed out of this site. The sign-in service signs you out next.</p>
${actionLinks('Continue', options.next, options)}`;
  return page({ ...options, title: 'You are being signed out', body });
}

interface EndSessionPageOptions extends PageOptions {
  /** The address of the client script, on the site's own origin. It submits the form. */
  script: string;
  /** The end-session endpoint of the service. */
  action: string;
  /** The parameters of the logout request. */
  fields: Readonly<Record<string, string>>;
}

/** @returns the page that continues a sign-out at the service with a POST, so that the ID Token is in no URL. */
export function endSessionPage(options: EndSessionPageOptions): string {
  const { action, fields } = options;
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const body = html`<p>You are signed out of this site. The sign-in service signs you out next.</p>
<form method="post" action="${linkTarget(action)}" data-clinician-submit>${inputs}
<button class="clinician-button clinician-button-auto clinician-button-medium" type="submit"><span>Continue</span></button>
</form>`;
  return page({ ...options, title: 'You are being signed out', body });
}

/**
 * @returns the Content-Security-Policy of {@link endSessionPage}. Browsers apply form-action to the redirects after a form too. The
 * sandbox gives the page an opaque origin: a script of this site that opens it in a window cannot read the ID Token in its form.
 */
export function endSessionPolicy(origins: readonly string[]): string {
  return `sandbox allow-forms allow-scripts; default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self' ${origins.join(' ')}; frame-ancestors 'none'`;
}

interface UserChangePageOptions extends PageOptions {
  /** The path that the form posts to; undefined where the site mounts no login route: the user then signs out first. */
  action: string | undefined;
  csrfToken: string;
  /** The name of the user who is signed in, where it is known. */
  from?: string | undefined;
  /** The name of the user who has signed in at the service, where it is known. */
  to?: string | undefined;
  /** The page that the sign-in was started for. */
  returnTo: string;
}

/** @returns the page that asks before another user replaces the one who is signed in. */
export function userChangePage(options: UserChangePageOptions): string {
  const { action, csrfToken, from, to, returnTo } = options;
  const other = to === undefined ? html`another user` : nameText(to);
  const current = from !== undefined && html` as ${nameText(from)}`;
  const body = html`<p>You are signed in on this site${current}. At the sign-in service, ${other} is signed in.</p>
${action === undefined ? html`<p>To continue as ${other}, sign out first.</p>` : changeForm(action, csrfToken, other)}
<p class="clinician-other"><a href="${linkTarget(returnTo)}">Stay signed in${current}</a></p>`;
  return page({ ...options, title: 'Another user is signed in', body });
}

function nameText(name: string): HTML {
  return html`<strong><bdi>${truncate(name)}</bdi></strong>`;
}

function changeForm(action: string, csrfToken: string, other: HTML): HTML {
  return html`<p>If you continue, the current user is signed out on this site.</p>
<form method="post" action="${linkTarget(action)}" data-clinician-user-change><input type="hidden" name="_csrf" value="${csrfToken}">
<button class="clinician-button clinician-button-auto clinician-button-medium" type="submit"><span>Continue as ${other}</span></button>
</form>`;
}

/** @returns the Content-Security-Policy of {@link userChangePage}: the form leads to the service, by redirects. */
export function userChangePolicy(origins: readonly string[]): string {
  return `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self' ${origins.join(' ')}; frame-ancestors 'none'`;
}

interface SignInAgainPageOptions extends PageOptions {
  /** The URL that starts the sign-in. */
  signIn: string;
}

/** @returns the page for a signed-in user who has followed a link of another site to the login route. */
export function signInAgainPage(options: SignInAgainPageOptions): string {
  const body = html`<p>You are signed in. The link that you have opened asks you to sign in again.</p>
${actionLinks('Sign in again', options.signIn, options)}`;
  return page({ ...options, title: 'Sign in again?', body });
}
