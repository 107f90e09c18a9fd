import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { ClinicianEventListener } from '../events.js';
import type { ShareButtonHTMLOptions, SignInButtonHTMLOptions } from '../html/buttons.js';
import type { RelyingPartyOptions } from '../options/options.js';
import type { ResourceAPI } from '../resource-api/resource-api.js';
import type { Verification } from '../session/session-login.js';
import type { SiteRequest } from '../session/site-request.js';
import type { ClinicianGrant } from '../session/token-manager.js';
import type { OnSignIn } from '../sign-in/sign-in.js';
import type { ProfileStore } from '../token-vault/profile-store.js';
import type { TokenStore } from '../token-vault/token-store.js';
import type { ErrorHandler } from './failures.js';
import type { Guards } from './guards.js';
import type { HelmetOptions } from './helmet.js';
import type { Routes } from './routes.js';

/** Holds the options of `clinicianLogin()`. */
export interface ClinicianLoginOptions extends RelyingPartyOptions {
  /**
   * The name of the site, for the titles of the pages that this package shows.
   * @default the host of `callbackURL`
   */
  siteName?: string;
  /**
   * The store of the sealed tokens. A site of several processes needs a store that they share.
   * @default a new MemoryTokenStore
   */
  tokenStore?: TokenStore;
  /**
   * Maps the clinician who signed in to the site's own user (an object, saved in the session as `req.user`), or denies the sign-in
   * with `deny(reason)`.
   * @default `({ identity }) => ({ id: identity.id })`
   */
  onSignIn?: OnSignIn<Request>;
  /** Responds instead of this package's own page when a login or logout fails. */
  onError?: ErrorHandler;
  /**
   * Receives the events of logins: signed in, refreshed, signed out, forgotten, and errors. Events contain no tokens. Without a
   * listener, errors that the operator must know are process warnings. `DEBUG=clinician:*` prints the events to stderr.
   */
  onEvent?: ClinicianEventListener;
  /**
   * Where the service redirects users after it has signed them out, exactly as registered with the service. `false` signs out on
   * this site only. Used in the `openid` flow: the service requires an ID Token.
   * @default the `loggedOut` route on the site's own origin
   */
  postLogoutRedirectURI?: string | false;
  /** Other paths for the mounted routes, or `false` to leave one out. */
  routes?: Routes;
}

/** Describes the drop-in: Express middleware with the parts of the sign-in as members. */
export interface ClinicianMiddleware extends RequestHandler, Guards {
  /**
   * Returns the resource API for the signed-in clinician. Throws {@link SignInRequiredError} `sign_in_required` when no
   * clinician is signed in.
   */
  api(req: SiteRequest): ResourceAPI;
  /**
   * Returns the tokens of the signed-in clinician without their values: their state, a refresh, their revocation. Throws {@link
   * SignInRequiredError} `sign_in_required` when no clinician is signed in.
   */
  grant(req: SiteRequest): ClinicianGrant;
  /**
   * Revokes and erases everything stored about one user. Call it when users close their account, unlink this site, or request it.
   * Every session of the user is signed out: in this process at its next request, in others when a guard reads the token store
   * again (see `maxAge`). Safe to repeat. The site erases its own data.
   * @param userID the `id` of the user that `onSignIn` returned
   */
  forget(userID: string | number): Promise<void>;
  /**
   * Returns whether the signed-in clinician is verified: from memory where it is known, else from the profile (spec, "Profile",
   * `verified`). `unknown` when no clinician is signed in or scope `basic` was not granted.
   */
  verification(req: SiteRequest): Promise<Verification>;
  /**
   * Signs out and sends the response: revokes at the service, erases the tokens, destroys the session and removes its cookie, and
   * redirects to the service's end of session, which redirects back to the `loggedOut` route (OpenID Connect RP-Initiated Logout 1.0).
   * A script gets 204. Protect the route that calls it: see {@link ClinicianMiddleware.csrfToken}.
   */
  logout(req: SiteRequest, res: ServerResponse): Promise<void>;
  /**
   * Returns a token for the form field `_csrf` or the header `X-CSRF-Token` of requests that post to this package's routes.
   * Needed by the few browsers that send no `Sec-Fetch-Site`, where helmet's `Referrer-Policy: no-referrer` makes them send
   * `Origin: null`. Valid for twelve hours, for one login; for a signed-out user, for one browser, in which it sets a cookie.
   * Throws a {@link ConfigurationError} `csrf_token_too_late` when that cookie can no longer be set.
   */
  csrfToken(req: SiteRequest): string;
  /**
   * Returns middleware for the site's own posts that allows same-origin requests only, with the same protection as the logout.
   * Others get 403 `cross_site_request`.
   */
  requireSameOrigin(): RequestHandler;
  /** Returns the sign-in button as HTML, escaped. Put `stylesheetURL` in the page's head. */
  signInButton(options?: SignInButtonOptions): string;
  /**
   * Returns the share button as HTML, escaped: it opens a new message in the service's inbox (spec, "Share button markup").
   * Needs `apiURL`.
   */
  shareButton(options: ShareButtonOptions): string;
  /**
   * Returns a hidden frame that checks the session at the service (OIDC Session Management 1.0), for pages of signed-in users.
   * Add the client script to the page. When that session ends, the document receives the event `clinician:signed-out` and is
   * reloaded, unless the event is cancelled. Does nothing in the `profile` flow.
   */
  sessionCheckFrame(): string;
  /**
   * Returns middleware that signs users in silently (`prompt=none`) if they are signed in at the service and have approved this
   * site. A browser is redirected at most once in ten minutes, and not after a sign-out. Other users remain signed out. A
   * browser that has sent no cookie yet is redirected at its next page, so that crawlers get every page.
   */
  signInSilently(): RequestHandler;
  /** Profiles that users agreed to have stored, and their agreements. No other profile data is stored. */
  readonly profiles: ProfileStore;
  /** The URL of the client script, for `<script src defer>`: for `display: 'popup'` and the session check. */
  readonly clientScriptURL: string;
  /** The URL of the style sheet of the button. */
  readonly stylesheetURL: string;
  /** Returns the options of `helmet()` that this sign-in needs. */
  helmet(): HelmetOptions;
}

/** Holds the options of `clinician.signInButton()`: its look, and the parameters of the login. */
export interface SignInButtonOptions extends Omit<SignInButtonHTMLOptions, 'href'> {
  /** The path to return to. @default '/' */
  returnTo?: string;
  /** `create` shows the registration, `login` requires the password again, `consent` requires the approval again. */
  prompt?: 'login' | 'consent' | 'create';
  /** The page that the service shows to a user without a session (spec, GET /oauth/authorize). */
  type?: 'verify' | 'login';
}

/** Holds the options of `clinician.shareButton()`. */
export type ShareButtonOptions = Omit<ShareButtonHTMLOptions, 'apiURL' | 'scriptURL'>;
