import { PAGE_PATHS } from '../http/paths.js';
import { field, hiddenFields } from './field.js';
import { html, type Markup, truncate } from './html.js';

interface LoginPage {
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** The application or page that the user continues to. */
  destination: string;
  username: string | undefined;
  problem: string | undefined;
  landing: 'verify' | 'login';
  /** The address of the registration page. */
  registration: string | undefined;
  /** Usernames to try; one more than {@link MAX_NAMES} when there are more. */
  personas: readonly string[];
}

/** Limits the number of usernames that are shown. */
export const MAX_NAMES = 8;

export function loginTitle({ landing }: Pick<LoginPage, 'landing'>): string {
  return landing === 'verify' ? 'Verify that you are a clinician' : 'Sign in';
}

/** @returns the login form. `type=verify` changes only the texts. */
export function loginPage(page: LoginPage): Markup {
  const { action, hidden, username, problem, registration } = page;
  const problemID = problem === undefined ? undefined : 'login-problem';
  const hasName = username !== undefined && username !== '';
  return html`<h1>${loginTitle(page)}</h1>
${introduction(page)}
${problem !== undefined && html`<p class="alert" id="login-problem" role="alert">${problem}</p>`}
<form method="post" action="${action}">${hiddenFields(hidden)}
${field({ name: 'username', label: 'User name', value: truncate(username ?? ''), autocomplete: 'username', problemID, hasFocus: !hasName })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', problemID, hasFocus: hasName })}
<button type="submit">Sign in</button>
</form>
${registration !== undefined && html`<p class="other">No account yet? <a href="${registration}">Create an account</a></p>`}
${personas(page)}`;
}

function introduction({ destination, landing }: LoginPage): Markup {
  if (landing === 'login') return html`<p class="soft">to continue to <bdi>${truncate(destination)}</bdi></p>`;
  return html`<p><bdi>${truncate(destination)}</bdi> asks you to verify that you are a clinician.</p>
<p class="soft">Sign in, or create an account: we check your NPI, for most users at once.</p>`;
}

function personas({ personas: names }: LoginPage): Markup {
  const known = names
    .slice(0, MAX_NAMES)
    .map((name, index) => html`${index > 0 && ', '}<code>${truncate(name)}</code>`);
  return html`<details class="mock"><summary>Test users</summary>
<p>This is a mock provider for development and tests. Its users are ${known}${names.length > MAX_NAMES && ' and others'}. Their password is <code>clinician</code> unless another one is configured.</p>
<p><a href="${PAGE_PATHS.verification}">Show my verification status</a></p></details>`;
}
