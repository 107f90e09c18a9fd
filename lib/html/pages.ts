import { html, linkTarget } from './escape.js';
import { PAGE_SCRIPT, type Page, type PageLook, page, submitButton } from './page.js';
import { paragraph } from './texts.js';

/**
 * @param next the address that continues the sign-in
 * @param waits true if the page waits for a click; otherwise its button is for a browser that does not follow
 * @returns the page between the service's response and the page that was requested
 */
export function continuePage(look: PageLook, next: string, waits: boolean): Page {
  const { texts } = look;
  const actions = [{ label: texts.continue, href: next }];
  if (!waits) return page(look, { title: texts.signingInTitle, body: html``, actions, next });
  return page(look, { title: texts.confirmSignInTitle, body: paragraph(texts.confirmSignInText), actions });
}

/** @returns the page for an authorization response that a signed-in user sends again: mostly by the back button. */
export function signedInAlreadyPage(look: PageLook): Page {
  const { texts } = look;
  return page(look, { title: texts.signedInTitle, body: paragraph(texts.signedInAlreadyText), actions: [] });
}

interface LoggedOut {
  /** The URL that starts a sign-in. */
  signIn: string | undefined;
  /** It `continues` if the site cannot end it. */
  sessionAtService: 'ended' | 'continues' | 'unknown';
  /** The host of the service. */
  service: string;
}

/** @returns the page after a sign-out, which says whether the user is still signed in at the service. */
export function loggedOutPage(look: PageLook, { signIn, sessionAtService, service }: LoggedOut): Page {
  const { texts } = look;
  const known = {
    ended: texts.signedOutEverywhere,
    continues: texts.signedOutHere,
    unknown: texts.signedOutPerhaps,
  };
  const actions = signIn === undefined ? [] : [{ label: texts.signInAgain, href: signIn }];
  return page(look, { title: texts.signedOutTitle, body: paragraph(known[sessionAtService], { service }), actions });
}

/** @returns the page that asks before a sign-out: a link must not sign out, because another site can contain it. */
export function signOutPage(look: PageLook, action: string): Page {
  const { texts } = look;
  const body = html`${paragraph(texts.signOutText)}
<form method="post" action="${linkTarget(action)}">
${submitButton(texts.signOut)}
</form>
<p class="clinician-other"><a href="${linkTarget(look.home)}">${texts.staySignedIn}</a></p>`;
  return page(look, { title: texts.signOutTitle, body, hasForm: true });
}

/**
 * @returns the page that continues a sign-out at the service. A redirect would not: browsers apply the `form-action` of the page
 * with the sign-out form to the redirects after the form, and helmet sets it to `'self'`.
 */
export function serviceLogoutPage(look: PageLook, next: string): Page {
  const { texts } = look;
  const actions = [{ label: texts.continue, href: next }];
  return page(look, { title: texts.signedOutTitle, body: paragraph(texts.signingOutText), actions, next });
}

/** The logout request, and the origins that its form leads to: browsers apply form-action to the redirects after a form too. */
interface EndSession {
  url: string;
  fields: Readonly<Record<string, string>>;
  origins: readonly string[];
}

/**
 * @returns the page that continues a sign-out at the service with a POST, so that the ID Token is in no URL. The sandbox gives it an
 * opaque origin: a script of this site that opens it in a window cannot read the ID Token in its form.
 */
export function endSessionPage(look: PageLook, { url, fields, origins }: EndSession): Page {
  const { texts } = look;
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const body = html`${paragraph(texts.signingOutText)}
<form method="post" action="${linkTarget(url)}" data-clinician-submit>${inputs}
${submitButton(texts.continue)}
</form>`;
  const sandbox = 'allow-forms allow-scripts';
  const directives = { 'form-action': ["'self'", ...origins].join(' ') };
  return page(look, { title: texts.signedOutTitle, body, script: PAGE_SCRIPT, sandbox, directives });
}
