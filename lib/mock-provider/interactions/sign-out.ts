import type { Cookies } from '../http/cookies.js';
import { PAGE_PATHS } from '../http/paths.js';
import { randomToken } from '../http/random.js';
import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import { refusalJSON } from '../pages/error-page.js';
import { pageResponse } from '../pages/page.js';
import { signedOutPage, signOutPage } from '../pages/sign-out-page.js';
import type { Refusal, Refused } from '../protocol/refusal.js';
import type { FormTokenStore } from '../state/form-tokens.js';
import type { BrowserSessions } from './browser-sessions.js';
import { refuseForm } from './interaction-context.js';
import type { PageEndpoints } from './sign-in.js';

/** Serves GET and POST /oauth/sign-out, where a user signs out without an application. */
export interface SignOutPages extends PageEndpoints {
  /**
   * Asks the user to confirm the sign-out of a refused logout request. It signs no user out by itself.
   * @param continueAt the URL to redirect to after the sign-out, if it is valid; otherwise a page confirms the sign-out
   */
  confirm(http: MockRequest, refusal: Refusal, continueAt?: string): Refused;
}

interface Dependencies {
  readonly forms: FormTokenStore;
  readonly browserSessions: Pick<BrowserSessions, 'current' | 'end'>;
  readonly cookies: Cookies;
}

const PURPOSE = 'sign-out';

export function createSignOutPages({ forms, browserSessions, cookies }: Dependencies): SignOutPages {
  function show(http: MockRequest, refusal?: Refusal, continueAt = ''): ProviderResponse {
    const session = browserSessions.current(http);
    const browserID = cookies.read(http, 'interaction') ?? randomToken();
    const title = session ? 'Sign out?' : 'You are not signed in';
    const body = signOutPage({
      title,
      action: PAGE_PATHS.signOut,
      hidden: { form_token: forms.issue(PURPOSE, browserID, continueAt) },
      displayName: session?.account.displayName,
      refusal,
    });
    const status = refusal?.status ?? 200;
    return pageResponse({ title, body, status, cookies: [cookies.set('interaction', browserID)] });
  }

  return {
    GET: (http) => show(http),
    POST(http) {
      const browserID = cookies.read(http, 'interaction');
      const continueAt = http.isForm ? forms.consume(PURPOSE, browserID, http.form.get('form_token')) : undefined;
      if (continueAt === undefined) return refuseForm(http, PAGE_PATHS.signOut);
      const set = browserSessions.end(http);
      if (continueAt !== '') return redirectResponse(http.method, continueAt, set);
      return pageResponse({ title: 'You are signed out', body: signedOutPage(), cookies: set });
    },
    confirm(http, refusal, continueAt) {
      const response = http.prefersJSON ? refusalJSON(refusal) : show(http, refusal, continueAt);
      return { refusal, response };
    },
  };
}
