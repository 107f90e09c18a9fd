import { SignInRequiredError } from '../errors.js';
import { shareButton, signInButton } from '../html/buttons.js';
import { sessionCheckFrame } from '../html/session-check-page.js';
import type { ActiveLogins } from '../session/active-logins.js';
import type { SiteRequest } from '../session/site-request.js';
import { loginOf } from '../session/site-session.js';
import type { ClinicianGrant, TokenManager } from '../session/token-manager.js';
import type { Verifications } from '../session/verification.js';
import { createProfileStore } from '../token-vault/profile-store.js';
import { createSealer } from '../token-vault/sealer.js';
import type { ClinicianMiddleware } from './clinician-login-types.js';
import { type CSRFProtection, sameOriginOnly } from './csrf.js';
import type { Guards } from './guards.js';
import { helmetOptions } from './helmet.js';
import type { ResolvedLoginOptions } from './login-options.js';
import type { LogoutHandlers } from './logout-handlers.js';
import { sessionCheckPath } from './routes.js';
import type { SilentSignIn } from './silent-sign-in.js';

const FIVE_MINUTES_MS = 5 * 60 * 1000;

/** Lists the members that the drop-in has in addition to its middleware and guards. @internal */
export type Members = Omit<ClinicianMiddleware, keyof CallableFunction | keyof Guards>;

export function createMembers(
  options: ResolvedLoginOptions,
  parts: {
    tokens: TokenManager;
    logins: ActiveLogins;
    verifications: Verifications;
    csrf: CSRFProtection;
    silentSignIn: SilentSignIn;
    logout: LogoutHandlers['logout'];
  },
): Members {
  const { links, routes, store, secrets, clock, postLogoutRedirectURI } = options;
  const { tokens, logins, verifications, csrf, silentSignIn, logout } = parts;

  function grantOf(req: SiteRequest): ClinicianGrant {
    const login = loginOf(req);
    if (login) return tokens.grant(login.grantID, login.identity.serviceID);
    throw new SignInRequiredError(
      'sign_in_required',
      'No clinician is signed in. Put requireLogin() before this route.',
    );
  }

  return {
    api: (req) => grantOf(req).api,
    grant: grantOf,
    async forget(userID) {
      logins.endUser(String(userID));
      await tokens.forgetUser(String(userID));
    },
    async verification(req) {
      const login = loginOf(req);
      return login ? verifications.current(login, FIVE_MINUTES_MS) : 'unknown';
    },
    logout,
    csrfToken: csrf.token,
    requireSameOrigin: () => sameOriginOnly(csrf, links),
    signInButton({ returnTo = '/', prompt, type, ...look } = {}) {
      const parameters = Object.entries({ prompt, type }).map(([name, value]) => (value ? `&${name}=${value}` : ''));
      return signInButton({ ...look, href: links.login(returnTo) + parameters.join('') });
    },
    shareButton: (share) => shareButton({ ...share, apiURL: options.apiURL ?? '', scriptURL: options.shareScriptURL }),
    sessionCheckFrame: () => sessionCheckFrame({ src: sessionCheckPath(routes) }),
    signInSilently: () => silentSignIn.middleware,
    profiles: createProfileStore({ store, sealer: createSealer(secrets, 'profiles'), clock }),
    clientScriptURL: links.script,
    stylesheetURL: links.stylesheet,
    helmet() {
      const logoutURLs = [...options.allowedEndpointOrigins, ...(postLogoutRedirectURI ? [postLogoutRedirectURI] : [])];
      return helmetOptions({ ...options, logoutURLs });
    },
  };
}
