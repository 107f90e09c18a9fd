import { field, hiddenFields } from './field.js';
import { html, type Markup } from './html.js';
import { PAGE_PATHS } from './paths.js';
import { truncate } from './truncate.js';

export interface LoginPage {
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** Whom the person goes on to. */
  goingTo: string;
  username: string | undefined;
  problem: string | undefined;
  landing: 'verify' | 'login';
  /** Where an account is created. */
  registration: string | undefined;
  /** User names to try; one more than are shown, when there are more. */
  personas: readonly string[];
}

/** How many user names are shown, of those that are given. */
export const MAX_NAMES = 8;

export function loginTitle({ landing }: Pick<LoginPage, 'landing'>): string {
  return landing === 'verify' ? 'Verify that you are a clinician' : 'Sign in';
}

/** Where a person says who they are. `type=verify` changes the words alone (decision 27). */
export function loginPage(page: LoginPage): Markup {
  const { action, hidden, username, problem, landing, registration } = page;
  const problemID = problem === undefined ? undefined : 'login-problem';
  const knowsName = username !== undefined && username !== '';
  return html`<h1>${loginTitle(page)}</h1>
${introduction(page)}
${problem !== undefined && html`<p class="alert" id="login-problem" role="alert">${problem}</p>`}
<form method="post" action="${action}">${hiddenFields(hidden)}
${field({ name: 'username', label: 'User name', value: truncate(username ?? ''), autocomplete: 'username', problemID, hasFocus: !knowsName })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', problemID, hasFocus: knowsName })}
<button type="submit">Sign in</button>
</form>
${registration !== undefined && html`<p class="other">${landing === 'verify' ? 'No account yet?' : 'New here?'} <a href="${registration}">Create an account</a></p>`}
${personas(page)}`;
}

function introduction({ goingTo, landing }: LoginPage): Markup {
  if (landing === 'login') return html`<p class="soft">to continue to <bdi>${truncate(goingTo)}</bdi></p>`;
  return html`<p><bdi>${truncate(goingTo)}</bdi> would like to know that you are a clinician.</p>
<p class="soft">With an account, sign in. Without one, create it: we check your NPI, for most people at once.</p>`;
}

function personas({ personas: names }: LoginPage): Markup {
  const known = names
    .slice(0, MAX_NAMES)
    .map((name, index) => html`${index > 0 && ', '}<code>${truncate(name)}</code>`);
  return html`<details class="mock"><summary>Who can sign in here?</summary>
<p>This is a mock provider for development and tests. Its clinicians are ${known}${names.length > MAX_NAMES && ' and others'}. The password of each is <code>clinician</code>, unless it was given another.</p>
<p><a href="${PAGE_PATHS.verification}">How far is my verification?</a></p></details>`;
}
