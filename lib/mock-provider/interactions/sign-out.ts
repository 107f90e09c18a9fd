import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import { stalePage } from '../pages/error-page.js';
import { pageResponse } from '../pages/page.js';
import { signedOutPage, signOutPage } from '../pages/sign-out-page.js';
import { type Refusal, type Refused, refusedAsJSON } from '../protocol/refusal.js';
import type { BrowserForms, BrowserSessions } from './browser-sessions.js';
import type { PageEndpoints } from './sign-in.js';

/** Serves GET and POST /oauth/sign-out, where a user signs out without an application. */
export interface SignOutPages extends PageEndpoints {
  /**
   * Asks the user to confirm the sign-out of a refused logout request. It signs no user out by itself.
   * @param continueAt the URL to redirect to after the sign-out, if it is valid; otherwise a page confirms the sign-out
   */
  confirm(http: MockRequest, refusal: Refusal, continueAt?: string): Refused;
}

const PURPOSE = 'sign-out';

export function createSignOutPages(browserForms: BrowserForms, browserSessions: BrowserSessions): SignOutPages {
  function show(http: MockRequest, refusal?: Refusal, continueAt = ''): ProviderResponse {
    const session = browserSessions.current(http);
    const form = browserForms.show(http, PURPOSE, continueAt);
    const title = session ? 'Sign out?' : 'You are not signed in';
    const body = signOutPage({
      title,
      action: PAGE_PATHS.signOut,
      hidden: form.hidden,
      displayName: session?.account.displayName,
      refusal,
    });
    return pageResponse({ title, body, status: refusal?.status ?? 200, cookies: form.cookies });
  }

  return {
    GET: (http) => show(http),
    POST(http) {
      const form = browserForms.accept(http, PURPOSE);
      if (form === undefined) return stalePage(http, 'form-token-single-use', PAGE_PATHS.signOut);
      const cookies = [...browserSessions.end(http), ...form.cookies];
      if (form.value !== '') return redirectResponse(http.method, form.value, cookies);
      return pageResponse({ title: 'You are signed out', body: signedOutPage(), cookies });
    },
    confirm: (http, refusal, continueAt) =>
      http.prefersJSON ? refusedAsJSON(refusal) : { refusal, response: show(http, refusal, continueAt) },
  };
}
