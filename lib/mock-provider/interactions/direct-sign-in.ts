import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import { cookie, cookieOf } from '../http/session-cookies.js';
import { loginPage, MAX_NAMES } from '../pages/login-page.js';
import { pageResponse } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import type { Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { randomToken } from '../state/random.js';
import { refuseForm } from './consume-form.js';
import type { LoginProblem } from './screens.js';
import { accountOfForm, startSession, WRONG_PASSWORD } from './sign-in.js';

const PURPOSE = 'sign-in';
const OWN_PAGES: readonly string[] = [PAGE_PATHS.inbox, PAGE_PATHS.newMessage, PAGE_PATHS.verification];

/** @returns where somebody signs in to reach a page of the service itself. */
export function signInAddress(page: string): string {
  return `${PAGE_PATHS.signIn}?return_to=${encodeURIComponent(page)}`;
}

/** GET /oauth/sign-in: for the service's own pages, with no application involved (decision 100). */
export function directSignIn(instance: ProviderInstance, http: MockRequest): ProviderResponse {
  const returnTo = ownPage(http.query.get('return_to'));
  const id = cookieOf(instance, http, 'session');
  if (id !== undefined && instance.sessions.get(id)) return goTo(instance, http, returnTo, id, []);
  return showOwnSignIn(instance, http, returnTo);
}

/** POST /oauth/sign-in */
export function submitDirectSignIn(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const browserID = cookieOf(instance, http, 'interaction');
  const returnTo = http.isForm ? instance.forms.take(PURPOSE, browserID, http.form.get('form_token')) : undefined;
  if (returnTo === undefined) return refuseForm(http, signInAddress(PAGE_PATHS.inbox));
  const account = accountOfForm(instance, http);
  if (account === undefined) {
    const username = http.form.get('username') ?? '';
    return showOwnSignIn(instance, http, returnTo, { username, problem: WRONG_PASSWORD });
  }
  const { id, cookies } = startSession(instance, http, account);
  return goTo(instance, http, returnTo, id, cookies);
}

function showOwnSignIn(
  instance: ProviderInstance,
  http: MockRequest,
  returnTo: string,
  failed?: LoginProblem,
): ProviderResponse {
  const browserID = cookieOf(instance, http, 'interaction') ?? randomToken();
  const body = loginPage({
    action: PAGE_PATHS.signIn,
    hidden: { form_token: instance.forms.issue(PURPOSE, browserID, returnTo) },
    goingTo: returnTo === PAGE_PATHS.verification ? 'your verification' : 'your inbox',
    username: failed?.username,
    problem: failed?.problem,
    landing: 'login',
    registration: undefined,
    personas: instance.accounts.firstNames(MAX_NAMES + 1),
  });
  const cookies = [cookie(instance, 'interaction', browserID)];
  return pageResponse({ title: 'Sign in', body, status: failed ? 400 : 200, cookies });
}

/** The inbox is not below /oauth, where the session's cookie is: it gets one of its own. */
function goTo(
  instance: ProviderInstance,
  http: MockRequest,
  returnTo: string,
  id: string,
  cookies: readonly string[],
): ProviderResponse {
  return redirectResponse(http.method, returnTo, [...cookies, cookie(instance, 'inbox', id)]);
}

/** @returns the address of one of our own pages; never another site's, whatever was asked for. */
function ownPage(address: string | undefined): string {
  const [path = ''] = address?.split('?') ?? [];
  return address !== undefined && OWN_PAGES.includes(path) ? address : PAGE_PATHS.inbox;
}
