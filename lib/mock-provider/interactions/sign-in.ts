import type { Cookies } from '../http/cookies.js';
import type { Parameters } from '../http/parameters.js';
import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import { stalePage } from '../pages/error-page.js';
import { type LoginProblem, loginPage } from '../pages/login-page.js';
import { pageResponse } from '../pages/page.js';
import type { Route } from '../protocol/endpoint.js';
import type { BrowserForms, BrowserSessions } from './browser-sessions.js';
import type { Dispatch } from './dispatcher.js';
import type { InteractionLookup } from './interaction-context.js';
import type { LoginForm } from './login-form.js';
import { loginScreen } from './screens.js';

/** The endpoints of one page. */
export type PageEndpoints = Required<Pick<Route, 'GET' | 'POST'>>;

/** Creates GET and POST /oauth/login: the login of an authorization request. A user with a session may sign in as another one. */
export function createLoginPage(
  lookup: InteractionLookup,
  loginForm: LoginForm,
  browserSessions: BrowserSessions,
  dispatch: Dispatch,
): PageEndpoints {
  return {
    GET: lookup.page((http, context) => loginScreen(context, loginForm.usersFor(http))),
    POST: lookup.form((http, context) => {
      const account = loginForm.accountOf(http);
      if (account === undefined) return loginScreen(context, loginForm.usersFor(http), wrongPassword(http.form));
      const { session, cookies } = browserSessions.start(http, account);
      context.interaction.hasSignedIn = true;
      return dispatch(http, { ...context, session, cookies });
    }),
  };
}

const PURPOSE = 'sign-in';
const OWN_PAGES: readonly string[] = [PAGE_PATHS.inbox, PAGE_PATHS.newMessage, PAGE_PATHS.verification];

/** @returns the address of the sign-in for a page of the service itself. */
export function signInAddress(page: string): string {
  return `${PAGE_PATHS.signIn}?return_to=${encodeURIComponent(page)}`;
}

/** Creates GET and POST /oauth/sign-in: the login for the service's own pages, without an application. */
export function createDirectSignInPage(
  browserForms: BrowserForms,
  loginForm: LoginForm,
  browserSessions: BrowserSessions,
  cookies: Cookies,
): PageEndpoints {
  function show(http: MockRequest, returnTo: string, failed?: LoginProblem): ProviderResponse {
    const form = browserForms.show(http, PURPOSE, returnTo);
    const body = loginPage({
      action: PAGE_PATHS.signIn,
      hidden: form.hidden,
      destination: returnTo === PAGE_PATHS.verification ? 'your verification' : 'your inbox',
      username: failed?.username,
      problem: failed?.problem,
      landing: 'login',
      registration: undefined,
      users: loginForm.usersFor(http),
    });
    return pageResponse({ title: 'Sign in', body, status: failed ? 400 : 200, cookies: form.cookies });
  }

  /**
   * Redirects to a page of the service. The inbox is not below /oauth, where the session cookie is sent, so it has its own
   * cookie.
   */
  function redirect(http: MockRequest, returnTo: string, id: string, set: readonly string[]): ProviderResponse {
    return redirectResponse(http.method, returnTo, [...set, cookies.set('inbox', id)]);
  }

  return {
    GET(http) {
      const returnTo = ownPage(http.query.get('return_to'));
      const id = cookies.read(http, 'session');
      const isSignedIn = id !== undefined && browserSessions.current(http) !== undefined;
      return isSignedIn ? redirect(http, returnTo, id, []) : show(http, returnTo);
    },
    POST(http) {
      const form = browserForms.accept(http, PURPOSE);
      if (form === undefined) return stalePage(http, 'form-token-single-use', signInAddress(PAGE_PATHS.inbox));
      const account = loginForm.accountOf(http);
      if (account === undefined) return show(http, form.value, wrongPassword(http.form));
      const started = browserSessions.start(http, account);
      return redirect(http, form.value, started.id, [...started.cookies, ...form.cookies]);
    },
  };
}

function wrongPassword(form: Parameters): LoginProblem {
  return { username: form.get('username') ?? '', problem: 'The user name or the password is incorrect.' };
}

/** @returns the address if it is of one of the service's own pages, otherwise the inbox. */
function ownPage(address: string | undefined): string {
  const [path = ''] = address?.split('?') ?? [];
  return address !== undefined && OWN_PAGES.includes(path) ? address : PAGE_PATHS.inbox;
}
