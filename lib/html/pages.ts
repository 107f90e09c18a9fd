import { html, linkTarget } from './escape.js';
import { actionLinks, type Page, type PageOptions, page, submitButton } from './page.js';
import { PAGE_SCRIPT } from './page-script.js';
import { ENGLISH, paragraph } from './texts.js';

interface ContinuePageOptions extends PageOptions {
  /** The address that continues the sign-in. */
  next: string;
  /** True if the page waits for a click; otherwise its button is for a browser that does not follow. */
  waits: boolean;
}

/** @returns the page between the service's response and the page that was requested. */
export function continuePage({ next, waits, ...options }: ContinuePageOptions): Page {
  const { texts = ENGLISH } = options;
  const body = html`${waits && paragraph(texts.confirmSignInText)}
${actionLinks(texts.continue, next, options)}`;
  const title = waits ? texts.confirmSignInTitle : texts.signingInTitle;
  return page({ ...options, title, body, ...(!waits && { next }) });
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
<form method="post" action="${linkTarget(action)}">
${submitButton(texts.signOut)}
</form>
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
  return page({ ...options, title: texts.signedOutTitle, body, script: PAGE_SCRIPT, sandbox, directives });
}

function formAction(origins: readonly string[]): string {
  return ["'self'", ...origins].join(' ');
}
