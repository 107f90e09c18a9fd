import type { ServerResponse } from 'node:http';
import type { EventListener } from '../events.js';
import type { ShareButtonHTMLOptions, SignInButtonHTMLOptions } from '../html/buttons.js';
import type { ClinicianOptions } from '../options/options.js';
import type { ClinicianStrategy } from '../passport/strategy.js';
import type { ResourceAPI } from '../resource-api/resource-api.js';
import type { ClinicianGrant } from '../session/token-manager.js';
import type { ExpressMiddleware, ExpressRequest, Verification } from '../session/types.js';
import type { OnSignIn } from '../sign-in/sign-in.js';
import type { ProfileStore } from '../token-vault/profile-store.js';
import type { TokenStore } from '../token-vault/token-store.js';
import type { Guards } from './guards.js';
import type { HelmetOptions } from './helmet.js';
import type { ErrorHandler } from './router.js';
import type { Routes } from './routes.js';

/** Options of `clinicianLogin()`. */
export interface ClinicianLoginOptions extends ClinicianOptions {
  /**
   * What the site is called, in the titles of the pages that this package shows.
   * @default the host of `callbackURL`
   */
  siteName?: string;
  /**
   * Where sealed tokens are kept. Give a store that all processes share when the site runs as several.
   * @default a new MemoryTokenStore
   */
  tokenStore?: TokenStore;
  /**
   * Maps whoever signed in to the site's own user (an object, kept in the session as `req.user`), or refuses them by `deny(reason)`.
   * @default `({ identity }) => ({ id: identity.id })`
   */
  onSignIn?: OnSignIn<ExpressRequest>;
  /** Answers instead of this package's own page when a login or logout fails. */
  onError?: ErrorHandler;
  /**
   * Hears what happens to logins: signed in, refreshed, signed out, forgotten, and what failed. Never told a token. Where nobody
   * listens, faults are process warnings. `DEBUG=clinician:*` prints the same to stderr.
   */
  onEvent?: EventListener;
  /**
   * Where the service sends people after they have signed out there, too; registered with it byte for byte. `false` signs out
   * on this site only. Used in the `openid` flow: the service asks for an ID Token.
   * @default the `loggedOut` route on the site's own origin
   */
  postLogoutRedirectURI?: string | false;
  /** Other paths for the mounted routes, or `false` to leave one out. */
  routes?: Routes;
}

/** What `clinicianLogin()` returns: Express middleware, and the parts as members. */
export interface ClinicianLogin extends ExpressMiddleware, Guards {
  /**
   * The resource API for the signed-in clinician.
   * Throws {@link SignInRequiredError} `sign_in_required` when nobody is signed in.
   */
  api(req: object): ResourceAPI;
  /**
   * The tokens of the signed-in clinician, without the tokens: how they stand, refresh now, revoke.
   * Throws {@link SignInRequiredError} `sign_in_required` when nobody is signed in.
   */
  grant(req: object): ClinicianGrant;
  /**
   * Revokes and erases everything kept about one user: call it when they close their account, unlink this site, or ask for it.
   * Every session of theirs is signed out: on this machine at its next request, on others when a guard asks the token store
   * again (see `maxAge`). Safe to repeat. What the site itself keeps is the site's to erase.
   * @param userID the `id` of what `onSignIn` returned
   */
  forget(userID: string | number): Promise<void>;
  /**
   * Whether the signed-in clinician is verified: from memory when known, else read from the profile (spec, "Profile", `verified`).
   * `unknown` when nobody is signed in or scope `basic` was not granted.
   */
  verification(req: object): Promise<Verification>;
  /**
   * Signs out and answers: revokes at the service, erases the tokens, destroys the session, and sends the person on to the
   * service's own end of session and from there back to the `loggedOut` route (OpenID Connect RP-Initiated Logout 1.0).
   * The session's cookie is taken from the browser, by the settings that the session says it was set with.
   * A script is answered 204. Protect the route that calls it: see {@link ClinicianLogin.csrfToken}.
   */
  logout(req: object, res: ServerResponse): Promise<void>;
  /**
   * A token for the form field `_csrf` or the header `X-CSRF-Token` of what posts to this package's routes: needed by the few
   * browsers that send no `Sec-Fetch-Site`, where helmet's `Referrer-Policy: no-referrer` makes them send `Origin: null`.
   * Good for twelve hours, for one login; for somebody who is signed out, for one browser, which gets a cookie for it.
   * Throws a {@link ConfigurationError} `csrf_token_too_late` when that cookie cannot be set any more.
   */
  csrfToken(req: object): string;
  /**
   * Middleware for the site's own posts that change something: lets through what a page of this site asked for, with the same
   * protection as the logout has. Others get 403 `cross_site_request`.
   */
  requireSameOrigin(): ExpressMiddleware;
  /** The sign-in button as HTML, escaped. Put `stylesheetURL` in the page's head. */
  signInButton(options?: SignInButtonOptions): string;
  /** The share button as HTML, escaped: opens a new message in the service's inbox (spec, "Share button markup"). Needs `apiURL`. */
  shareButton(options: ShareButtonOptions): string;
  /**
   * A hidden frame that watches the session at the service (OIDC Session Management 1.0), for the pages of people who are signed
   * in; put the client script beside it. The document hears `clinician:signed-out` when that session has ended, and is loaded
   * anew unless that is prevented. Does nothing in the `profile` flow.
   */
  sessionCheckFrame(): string;
  /**
   * Middleware that signs people in without a question who are signed in at the service and have approved this site (`prompt=none`).
   * Each browser is asked once in ten minutes, and not after signing out; whoever is not signed in there goes on as they were.
   * A browser that has brought no cookie yet is asked at its next page: whoever keeps none, as crawlers do, gets every page as it is.
   */
  signInSilently(): ExpressMiddleware;
  /** Profiles of people who agreed to have them kept, and the record of that. Nothing else of a profile is ever kept. */
  readonly profiles: ProfileStore;
  /** The address of the client script, to be put into pages as `<script src defer>`: for `display: 'popup'` and the session check. */
  readonly clientScriptURL: string;
  /** The address of the style sheet for the button. */
  readonly stylesheetURL: string;
  /** The options that `helmet()` needs for this sign-in to work. */
  helmet(): HelmetOptions;
  /** The Passport strategy inside, for sites that want both. */
  readonly strategy: ClinicianStrategy;
}

/** The look of the sign-in button, and what it asks the login route for. */
export interface SignInButtonOptions extends Omit<SignInButtonHTMLOptions, 'href'> {
  /** The path to come back to. @default '/' */
  returnTo?: string;
  /** `create` lands on making an account, `login` asks for the password again, `consent` for the approval. */
  prompt?: 'login' | 'consent' | 'create';
  /** Which landing page a person without a session meets (spec, GET /oauth/authorize). */
  type?: 'verify' | 'login';
}

/** What the share button shares, and how it looks. */
export type ShareButtonOptions = Omit<ShareButtonHTMLOptions, 'apiURL' | 'scriptURL'>;
