import { field, hiddenFields, problemSummary } from './field.js';
import { html, type Markup, truncate } from './html.js';

type Texts = Readonly<Partial<Record<string, string>>>;

interface RegistrationPage {
  action: string;
  hidden: Readonly<Record<string, string>>;
  destination: string;
  /** The address of the login page. */
  login: string;
  values: Texts;
  problems: Texts;
}

/** @returns the form that creates and verifies an account (service spec: what the service does). */
export function registrationPage({ action, hidden, destination, login, values, problems }: RegistrationPage): Markup {
  const line = (name: string, label: string) => ({ name, label, value: values[name], problem: problems[name] });
  const first = Object.keys(values).length === 0;
  return html`<h1>Create your account</h1>
<p class="soft">to continue to <bdi>${truncate(destination)}</bdi>. Do you have one? <a href="${login}">Sign in</a></p>
${problemSummary(problems)}
<form method="post" action="${action}">${hiddenFields(hidden)}
<div class="row">${field({ ...line('firstName', 'First name'), autocomplete: 'given-name', maxlength: 60, hasFocus: first })}
${field({ ...line('lastName', 'Last name'), autocomplete: 'family-name', maxlength: 60 })}</div>
${field({ ...line('npi', 'NPI'), hint: 'Your National Provider Identifier: ten digits', inputmode: 'numeric', autocomplete: 'off', maxlength: 20 })}
<div class="row">${field({ ...line('credentials', 'Credentials'), hint: 'Such as MD or DO', autocomplete: 'off', maxlength: 40 })}
${field({ ...line('specialty', 'Specialty'), hint: 'Such as Cardiology', autocomplete: 'off', maxlength: 80 })}</div>
${field({ ...line('email', 'Email address'), type: 'email', hint: 'You sign in with it.', autocomplete: 'email', maxlength: 254 })}
${field({ name: 'password', label: 'Password', problem: problems.password, type: 'password', hint: 'At least 8 characters', autocomplete: 'new-password' })}
<button type="submit">Create account</button>
</form>
<details class="mock"><summary>About this page</summary><p>This is a mock provider for development and tests. Do not enter a password that you use elsewhere. <code>1234567893</code> is a valid NPI.</p></details>`;
}
