import { hiddenFields } from './field.js';
import { html, type Markup, truncate } from './html.js';

interface ConsentPage {
  action: string;
  hidden: Readonly<Record<string, string>>;
  clientName: string;
  /** The host that the user returns to. */
  destination: string;
  displayName: string;
  /** The address of the login page for another user. */
  otherAccount: string;
  /** The requested scope. */
  scope: readonly ScopeLine[];
  problem?: string | undefined;
}

interface ScopeLine {
  /** The scope token. */
  name: string;
  description: string;
  detail?: string | undefined;
  canBeRefused: boolean;
}

/** Asks the user to approve the scope; the email address separately, and not ticked beforehand (service spec: profile). */
export function consentPage(page: ConsentPage): Markup {
  const { action, hidden, clientName, destination, displayName, otherAccount, scope, problem } = page;
  const needed = scope.filter(({ canBeRefused }) => !canBeRefused);
  const choices = scope.filter(({ canBeRefused }) => canBeRefused);
  return html`<h1><bdi>${truncate(clientName, 60)}</bdi> asks for your approval</h1>
${problem !== undefined && html`<p class="alert" role="alert" tabindex="-1" autofocus>${problem}</p>`}
<p class="account">Signed in as <strong><bdi>${truncate(displayName, 60)}</bdi></strong><br><a href="${otherAccount}">Not you? Use another account</a></p>
<form method="post" action="${action}">${hiddenFields(hidden)}
${needed.length > 0 && html`<h2 id="needed">The application will be able to</h2><ul aria-labelledby="needed">${needed.map(({ description }) => html`<li>${description}</li>`)}</ul>`}
${choices.length > 0 && html`<fieldset class="choices"><legend>Optional</legend>${choices.map(choice)}</fieldset>`}
<div class="actions"><button type="submit" name="decision" value="approve">Approve</button>
<button type="submit" name="decision" value="deny" class="quiet">Deny</button></div>
</form>
<p class="hint">You return to <bdi>${truncate(destination)}</bdi> in both cases.</p>`;
}

function choice({ name, description, detail }: ScopeLine): Markup {
  return html`<div class="choice"><input type="checkbox" id="scope-${name}" name="approve_${name}" value="yes"><label for="scope-${name}">${description}${detail !== undefined && html` <span class="soft"><bdi>${truncate(detail)}</bdi></span>`}</label></div>`;
}
