import { PAGE_PATHS } from '../http/paths.js';
import { TEST_PASSWORD } from '../options/clinician-options.js';
import type { Account } from '../state/account.js';
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
  /** Those who can sign in with one click. */
  users: readonly Account[];
}

/** Why the form is shown again. */
export interface LoginProblem {
  username: string;
  problem: string;
}

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
<form class="users" method="post" action="${action}">${hiddenFields(hidden)}
${page.users.map(userButton)}
</form>
<form method="post" action="${action}">${hiddenFields(hidden)}
${field({ name: 'username', label: 'User name', value: truncate(username ?? ''), autocomplete: 'username', problemID })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', problemID, hasFocus: hasName })}
<button type="submit">Sign in</button>
</form>
${registration !== undefined && html`<p class="other">No account yet? <a href="${registration}">Create an account</a></p>`}
<details class="mock"><summary>About this page</summary><p>This is a mock provider for development and tests. A button above signs in without a password. The password of each test user is <code>${TEST_PASSWORD}</code>. <a href="${PAGE_PATHS.verification}">Show my verification status</a></p></details>`;
}

function introduction({ destination, landing }: LoginPage): Markup {
  if (landing === 'login') return html`<p class="soft">to continue to <bdi>${truncate(destination)}</bdi></p>`;
  return html`<p><bdi>${truncate(destination)}</bdi> asks you to verify that you are a clinician.</p>
<p class="soft">Sign in or create an account. We check your NPI, for most users at once.</p>`;
}

function userButton({ username, displayName, isVerified }: Account): Markup {
  return html`<button type="submit" name="as" value="${username}" class="quiet"><span><strong><bdi>${truncate(displayName, 40)}</bdi></strong>${!isVerified && ', not verified'}</span>${displayName !== username && html` <code><bdi>${truncate(username, 40)}</bdi></code>`}</button>`;
}
