import type { Cookies } from '../http/cookies.js';
import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ResolvedOptions } from '../options/resolve-provider-options.js';
import type { AuthorizationResponses } from '../protocol/authorization/authorization-response.js';
import type { Route } from '../protocol/endpoint.js';
import type { AccountStore } from '../state/accounts.js';
import type { MockClock } from '../state/clock.js';
import type { ConsentStore } from '../state/consents.js';
import type { FormTokenStore } from '../state/form-tokens.js';
import type { InteractionStore } from '../state/interactions.js';
import type { BrowserSessions } from './browser-sessions.js';
import { createConsentEndpoint } from './consent.js';
import { createDispatcher, type Dispatch } from './dispatcher.js';
import { BrowserForms, InteractionLookup } from './interaction-context.js';
import { createRegistrationPage } from './registration.js';
import { Screens } from './screens.js';
import { createDirectSignInPage, createLoginPage } from './sign-in.js';
import { createSignOutPages, type SignOutPages } from './sign-out.js';
import { createVerificationPage } from './verification.js';

interface Dependencies {
  readonly accounts: AccountStore;
  readonly clock: MockClock;
  readonly mayInspect: (http: MockRequest) => boolean;
  readonly consents: ConsentStore;
  readonly cookies: Cookies;
  readonly forms: FormTokenStore;
  readonly interactions: InteractionStore;
  readonly browserSessions: BrowserSessions;
  readonly responses: AuthorizationResponses;
  readonly verification: ResolvedOptions['verification'];
}

/** Serves the pages of the authorization server. */
interface Interactions {
  readonly dispatch: Dispatch;
  readonly signOutPages: SignOutPages;
  readonly routes: readonly (readonly [path: string, Route])[];
}

export function createInteractions(stores: Dependencies): Interactions {
  const lookup = new InteractionLookup(stores);
  const screens = new Screens({ ...stores, lookup });
  const dispatch = createDispatcher({ ...stores, lookup, screens });
  const pages = { ...stores, lookup, screens, dispatch };
  const browserForms = new BrowserForms(stores);
  const signOutPages = createSignOutPages({ ...stores, browserForms });

  return {
    dispatch,
    signOutPages,
    routes: [
      // Resuming can issue a code, so it has no HEAD.
      [PAGE_PATHS.resume, { GET: lookup.page(dispatch) }],
      [PAGE_PATHS.login, { ...createLoginPage(pages), head: true }],
      [PAGE_PATHS.registration, { ...createRegistrationPage(pages), head: true }],
      [PAGE_PATHS.verification, { ...createVerificationPage(pages), head: true }],
      [PAGE_PATHS.consent, { POST: createConsentEndpoint(pages) }],
      [PAGE_PATHS.signIn, { ...createDirectSignInPage({ ...stores, browserForms }), head: true }],
      [PAGE_PATHS.signOut, { GET: signOutPages.GET, POST: signOutPages.POST, head: true }],
    ],
  };
}
