import { html, type Markup } from './html.js';

export interface LoginPage {
  action: string;
  hidden: Readonly<Record<string, string>>;
  clientName: string;
  username: string | undefined;
  message: string | undefined;
  landing: 'verify' | 'login';
  personas: readonly string[];
}

export function hiddenFields(fields: Readonly<Record<string, string>>): Markup[] {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

/** Where a person says who they are. */
export function loginPage({ action, hidden, clientName, username, message, landing, personas }: LoginPage): Markup {
  const title = landing === 'verify' ? 'Verify that you are a clinician' : 'Sign in';
  return html`<h1>${title}</h1>
<p class="soft">to continue to <bdi>${clientName}</bdi></p>
${message !== undefined && html`<p class="alert" role="alert">${message}</p>`}
<form method="post" action="${action}">${hiddenFields(hidden)}
<label for="username">User name</label>
<input type="text" id="username" name="username" value="${username ?? ''}" autocomplete="username" autocapitalize="none" spellcheck="false" required ${username === undefined ? html`autofocus` : ''}>
<label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required ${username === undefined ? '' : html`autofocus`}>
<button type="submit">Sign in</button>
</form>
<p class="hint">This is a mock provider for development and tests. Be one of ${personas.map((name, index) => html`${index > 0 && ', '}<code>${name}</code>`)}, each with the password <code>clinician</code>.</p>`;
}
