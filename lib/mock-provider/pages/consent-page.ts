import { html, type Markup } from './html.js';
import { hiddenFields } from './login-page.js';

export interface ConsentPage {
  action: string;
  hidden: Readonly<Record<string, string>>;
  clientName: string;
  personName: string;
  /** Each word of the scope, with what it lets the application do. */
  scope: readonly { word: string; meaning: string; canBeRefused: boolean }[];
}

/** Where a person approves what an application asks for; the e-mail address separately (service spec: profile). */
export function consentPage({ action, hidden, clientName, personName, scope }: ConsentPage): Markup {
  const item = ({ word, meaning, canBeRefused }: ConsentPage['scope'][number]) =>
    canBeRefused
      ? html`<li><input type="checkbox" id="scope-${word}" name="approve_${word}" value="yes" checked><label for="scope-${word}">${meaning}</label></li>`
      : html`<li>${meaning}</li>`;
  return html`<h1><bdi>${clientName}</bdi> asks for your approval</h1>
<p class="soft">You are signed in as <bdi>${personName}</bdi>. The application will be able to:</p>
<form method="post" action="${action}">${hiddenFields(hidden)}
<ul class="scopes">${scope.map(item)}</ul>
<button type="submit" name="decision" value="approve">Approve</button>
<button type="submit" name="decision" value="deny" class="quiet">Deny</button>
</form>`;
}
