import { hiddenFields } from './field.js';
import { html, type Markup } from './html.js';
import { truncate } from './truncate.js';

export interface SignOutPage {
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** Who is signed in, if anybody. */
  personName: string | undefined;
  /** Why it did not happen at once, when an application asked for it. */
  reason: string | undefined;
}

/** Asks a person before they are signed out (decisions 75 and 79). */
export function signOutPage({ action, hidden, personName, reason }: SignOutPage): Markup {
  const who =
    personName === undefined
      ? html`<p>Nobody is signed in with this browser.</p>`
      : html`<p class="person">Signed in as <strong><bdi>${truncate(personName, 60)}</bdi></strong></p>`;
  return html`<h1>Sign out?</h1>
${reason !== undefined && html`<p>${reason}.</p><p class="soft">An application asked for you to be signed out, but not in a way that can be relied on. So it is up to you.</p>`}
${who}
<form method="post" action="${action}">${hiddenFields(hidden)}
<button type="submit">${reason === undefined ? 'Sign out' : 'Sign out anyway'}</button>
</form>
<p class="hint">To stay signed in, just close this page or go back.</p>`;
}

export function signedOutPage(): Markup {
  return html`<h1>You are signed out</h1>
<p class="good" role="status">You are no longer signed in at Clinician Identity with this browser.</p>
<p class="soft">Applications that you signed in to may still know you: sign out there as well. On a shared computer, close the browser.</p>`;
}
