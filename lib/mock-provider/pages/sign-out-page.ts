import type { Refusal } from '../protocol/refusal.js';
import { refusalDetails } from './error-page.js';
import { hiddenFields } from './field.js';
import { html, type Markup, truncate } from './html.js';

interface SignOutPage {
  title: string;
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** The signed-in user. */
  displayName: string | undefined;
  /** Why the logout request of an application was refused. */
  refusal: Refusal | undefined;
}

/** Asks the user to confirm the sign-out. */
export function signOutPage({ title, action, hidden, displayName, refusal }: SignOutPage): Markup {
  const isSignedIn = displayName !== undefined;
  return html`<h1>${title}</h1>
${refusal && html`<p>The application's sign-out request is invalid.${isSignedIn && ' You can still sign out here.'}</p><p class="soft">${refusal.reason}.</p>`}
${
  isSignedIn
    ? html`<p class="account">Signed in as <strong><bdi>${truncate(displayName, 60)}</bdi></strong></p>
<form method="post" action="${action}">${hiddenFields(hidden)}
<button type="submit">${refusal === undefined ? 'Sign out' : 'Sign out anyway'}</button>
</form>
<p class="hint">To stay signed in, close this page or go back.</p>`
    : html`<p>No user is signed in with this browser.</p>`
}
${refusal && refusalDetails(refusal)}`;
}

export function signedOutPage(): Markup {
  return html`<h1>You are signed out</h1>
<p class="good" role="status">You are no longer signed in at Clinician Identity with this browser.</p>
<p class="soft">You may still be signed in at applications: sign out there too. On a shared computer, close the browser.</p>`;
}
