import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenSet } from '../authorization-server/token-set.js';
import { denied } from '../errors/denials.js';
import { ConfigurationError } from '../errors/errors.js';
import { assertRequest, detectMissingCall, refuseAsStrategy } from '../express/call-checks.js';
import type { Guards } from '../express/guards.js';
import type { Middleware } from '../express/http-types.js';
import { refuseSpeculation } from '../express/responses.js';
import type { ClinicianHealth } from '../health.js';
import { defined } from '../http/json.js';
import { checkOptions } from '../options/option-table.js';
import type { ClinicianGrant } from '../session/clinician-grant.js';
import { queryOf, type SessionRequest, unsupportedSession } from '../session/site-session.js';
import { type Attempt, isAuthorizationResponse } from '../sign-in/attempts.js';
import { type AttemptState, isSilent, type LoginOptions } from '../sign-in/login-request.js';
import { isFromOwnPage } from '../sign-in/same-origin.js';
import { SessionUser } from '../sign-in/session-user.js';
import { assertGrantID } from '../token-vault/user-key.js';
import {
  type AuthenticateOptions,
  loginOptionsIn,
  purposeOf,
  refuseMisspelledOptions,
} from './authenticate-options.js';
import { finishSignIn, type ProfileLoader } from './finish-sign-in.js';
import { type EndSessionOptions, endSessionOptions, type LoginTokens, tokenSetOf } from './login-tokens.js';
import { OAuth2Strategy } from './oauth2-strategy.js';
import type { PassportOutcome } from './passport-errors.js';
import { type PassportProfile, passportProfile } from './passport-profile.js';
import { reportOutcome, returningAtLogIn } from './report-outcome.js';
import { type SignInFailure, savingFailure, takeFailure } from './sign-in-failure.js';
import { BoundParts, type ClinicianStrategyOptions, createParts, type StrategyParts } from './strategy-options.js';
import type { VerifyFunction } from './verify.js';

/** @returns the response of a request. Express sets it; the `res` that koa-passport sets has no headers. @internal */
export function responseOf({ res }: SessionRequest): ServerResponse {
  if (typeof res?.getHeader === 'function') return res;
  throw new ConfigurationError(
    'middleware_missing',
    "passport-clinician: this request has no 'res'. Use Express, which sets it.",
  );
}

/**
 * Implements the Passport strategy "Sign in as a clinician", named `clinician`. It is compatible with passport-oauth2: its
 * option names, its verify signatures, its error classes and its hooks `authorizationParams` and `userProfile`. A login attempt
 * is saved in its own sealed cookie, so the strategy needs no session.
 *
 * Calls `success(user, info)`, with `info.state`, `info.returnTo` and, with a token store, `info.grantID`. Calls `fail({ code,
 * message, cause })` when the user, the service or the site denied the sign-in, or the attempt is not of this browser:
 * `message` is for the user, and the error `cause` has the description from the service. Calls `error(...)` for other errors
 * (see {@link isClinicianError}): the error handler of the site receives them, so no warning reports them.
 *
 * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not use the network before the first
 * sign-in. Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
 */
export class ClinicianStrategy extends OAuth2Strategy implements Guards {
  /** Not a `#field`: Passport calls a strategy through `Object.create(strategy)`. @internal */
  declare protected readonly parts: StrategyParts;

  constructor(options: ClinicianStrategyOptions, verify: VerifyFunction) {
    const parts = options instanceof BoundParts ? options.parts : createParts(options, verify);
    const { issuer, clientID, callbackURL, scope } = parts;
    // passport-oauth2 has its own HTTP client, for subclasses that request resources. It does not get the client secret.
    super(
      {
        authorizationURL: `${issuer}/oauth/authorize`,
        tokenURL: `${issuer}/oauth/token`,
        clientID,
        clientSecret: '',
        callbackURL,
        scope: [...scope],
      },
      verify,
    );
    this.name = 'clinician';
    Object.defineProperty(this, 'parts', { value: parts });
    for (const hidden of ['_oauth2', '_verify']) Object.defineProperty(this, hidden, { enumerable: false });
  }

  /**
   * Starts a login, or finishes one when the request is an authorization response. At the path of `routes.login` it reads the options of
   * a link, as `/auth/login?returnTo=/path`; those of the call take precedence. Called by Passport.
   */
  override authenticate(req: IncomingMessage, options: AuthenticateOptions = {}): void {
    try {
      // Passport calls these two when it signs the user in.
      const unsupported = options.session === false ? undefined : unsupportedSession(req, true);
      if (unsupported) throw unsupported;
      if (!refuseSpeculation(req, responseOf(req))) this.respond(req, options);
    } catch (error) {
      this.report(Promise.reject(error));
    }
  }

  /**
   * Reads the profile, for Passport and for subclasses. Override it to load another one. An override that reads the UserInfo
   * endpoint must compare the `sub` of the response with `subject`, and pass an error to `done` if they are not exactly the
   * same (OIDC Core section 5.3.2): otherwise a response for another user's token would sign that user in.
   * @param subject the `sub` of the validated ID Token; undefined in the `profile` flow
   */
  userProfile(
    accessToken: string,
    done: (error?: unknown, profile?: unknown) => void,
    subject?: string | undefined,
  ): void {
    this.parts.identification.readProfile(accessToken).then(
      (profile) => done(null, passportProfile({ id: subject ?? profile.id, issuer: '' }, profile)),
      (error: unknown) => done(error),
    );
  }

  /**
   * @returns the tokens of one login: the resource API with them, refreshed as needed, their state and their revocation.
   * @param grantID the `grantID` of `req.authInfo` at the callback. Store it in the session; it is not a secret.
   * Throws a {@link ConfigurationError} when option `tokenStore` is missing.
   */
  grant(grantID: string): ClinicianGrant {
    this.assertStore();
    return this.parts.tokens.grant(checkGrantID(grantID, 'grant'));
  }

  /** Revokes and erases everything stored about one user. Safe to repeat. @param userID the `id` that the verify function returned */
  async forget(userID: string | number): Promise<void> {
    this.assertStore();
    await this.parts.clinician.forget(userID);
  }

  /**
   * @returns middleware for `app.use(strategy.middleware())`, after `passport.session()` and before the routes. Guards and {@link
   * logout} need it. It sets `req.clinician`, ends a login whose tokens have ended, and ends the tokens of a login that
   * `req.logout()` or `req.session.destroy()` has removed from its session. It responds to `POST /auth/logout` and
   * `POST /auth/forget` from pages of the same origin, and serves the pages of a sign-out, the client script and the style sheet: see
   * option `routes`. Your routes with `passport.authenticate('clinician')` sign users in.
   */
  get middleware(): () => Middleware {
    return detectMissingCall('middleware()', () => this.parts.clinician);
  }

  /** See {@link Guards.requireLogin}. Needs option `tokenStore` and {@link middleware}, as each guard does. */
  get requireLogin(): Guards['requireLogin'] {
    return this.guards.requireLogin;
  }

  /** See {@link Guards.requireRecentLogin}. */
  get requireRecentLogin(): Guards['requireRecentLogin'] {
    return this.guards.requireRecentLogin;
  }

  /** See {@link Guards.requireVerified}. */
  get requireVerified(): Guards['requireVerified'] {
    return this.guards.requireVerified;
  }

  /** See {@link Guards.requireProfile}. */
  get requireProfile(): Guards['requireProfile'] {
    return this.guards.requireProfile;
  }

  /** See {@link Guards.requireScope}. */
  get requireScope(): Guards['requireScope'] {
    return this.guards.requireScope;
  }

  /**
   * Signs out and sends the response, as `clinician.logout()` does: revokes and erases the tokens, destroys the session, and continues
   * at the service by a page of {@link middleware}. Protect the route that calls it against requests of other sites.
   * @param tokens without option `tokenStore`, the tokens of the login. They are revoked, and `idToken` signs out at the service
   */
  async logout(req: IncomingMessage, res: ServerResponse, tokens?: LoginTokens): Promise<void> {
    assertRequest(req, 'strategy.logout(req, res)');
    const { requestState, logoutRoutes } = this.parts;
    requestState.assertReceived(req, 'strategy.logout()');
    await logoutRoutes.logout(req, res, tokens && tokenSetOf(tokens, 'logout', ['refreshToken', 'accessToken']));
  }

  /**
   * @returns the URL that ends the session of a login at the service (OpenID Connect RP-Initiated Logout 1.0; spec,
   * /oauth/logout), for a redirect of the browser; undefined if the login has no ID Token, as in the `profile` flow, or has
   * ended, and if the service has no such endpoint. It contains the ID Token: send it to no script. Call this before the tokens
   * are revoked.
   * @param login the `grantID` of `req.authInfo`, or `{ idToken }` that the verify function received
   */
  async endSessionURL(login: string | LoginTokens, options: EndSessionOptions): Promise<string | undefined> {
    const { postLogoutRedirectURI, state } = checkOptions(options, endSessionOptions, 'strategy.endSessionURL()');
    const { tokens, server } = this.parts;
    let stored: TokenSet | undefined;
    if (typeof login === 'object' && login !== null) stored = tokenSetOf(login, 'endSessionURL', ['idToken']);
    else {
      this.assertStore();
      stored = (await tokens.vault.find(checkGrantID(login, 'endSessionURL')))?.tokens;
    }
    const idTokenHint = stored?.idToken;
    return idTokenHint && (await server.endSession({ idTokenHint, postLogoutRedirectURI, state }));
  }

  /**
   * Revokes, at the service, tokens that the site has stored itself: at a sign-out, or when another login replaces theirs
   * (spec, "Authentication", 7). With option `tokenStore`, use {@link ClinicianGrant.revoke} instead. Takes at most two
   * seconds, and does not reject if the service fails: the event and warning `revocation_failed` reports that, and this process
   * tries again.
   */
  async revoke(tokens: LoginTokens): Promise<void> {
    await this.parts.tokens.revoke(tokenSetOf(tokens, 'revoke', ['refreshToken', 'accessToken']));
  }

  /**
   * @returns why the last sign-in of this browser has failed, for the page of `failureRedirect`: undefined if none has failed in ten
   * minutes, and after the first call. It is in a sealed cookie and not in the session, because anyone can send forged callbacks.
   */
  signInFailure(req: IncomingMessage, res: ServerResponse): SignInFailure | undefined {
    assertRequest(req, 'strategy.signInFailure(req, res)');
    return takeFailure(this.parts, req, res);
  }

  /**
   * Waits for the token requests, refreshes, revocations and erasures in progress, then closes the connections to the service, as
   * `clinician.close()` does. Call it when the process stops, after its server has closed. Takes at most option `timeout` and two
   * seconds. A later sign-in or refresh fails with the retryable error `closed`. Safe to repeat.
   */
  async close(): Promise<void> {
    await this.parts.close();
  }

  /**
   * Checks the token store, if there is one, and the service, for a readiness endpoint and for monitoring. Resolves in half a
   * second at most, and never rejects. Requests each document of the service at most once in a minute, and writes to the token
   * store at most once in a second.
   */
  health(): Promise<ClinicianHealth> {
    return this.parts.health();
  }

  private get guards(): Guards {
    this.assertStore();
    return this.parts.clinician;
  }

  private assertStore(): void {
    if (this.parts.tokenStore) return;
    throw new ConfigurationError(
      'option_invalid',
      "passport-clinician: option 'tokenStore' is missing, so no tokens are stored. Pass a token store.",
      { option: 'tokenStore' },
    );
  }

  private respond(req: SessionRequest, options: AuthenticateOptions): void {
    const { attempts, errorResponses, loginRoute, callbackRoute } = this.parts;
    const res = responseOf(req);
    const response = queryOf(req);
    if (isAuthorizationResponse(response)) {
      const found = attempts.find(req, response);
      if (callbackRoute.repeatFromOwnPage(req, res, response, found)) return;
      const callback = { req, res, options, response, found, loadProfile: this.profileLoader() };
      this.reportCallback(finishSignIn(this.parts, callback), req, options, found);
      return;
    }
    if (errorResponses.showUnread(req, res)) return;
    const link = loginRoute.linkOptions(req);
    this.begin(req, res, options, { ...pageOnly(link), ...loginOptionsIn(options) });
  }

  /** Starts a login attempt that this strategy finishes, unless the signed-in user returns to the page. @internal */
  protected begin(
    req: SessionRequest,
    res: ServerResponse,
    passportOptions: AuthenticateOptions,
    options: LoginOptions,
  ): void {
    const isKept = purposeOf(passportOptions) === 'session' && this.parts.loginRoute.keepUser(options, req, res);
    if (!isKept) this.report(this.start(req, passportOptions, options));
  }

  private async start(
    req: SessionRequest,
    passportOptions: AuthenticateOptions,
    options: LoginOptions,
  ): Promise<PassportOutcome> {
    const { attempts, events, loginRoute, loginSession, origin } = this.parts;
    const elsewhere = loginRoute.otherHostURL(req);
    if (elsewhere !== undefined) return { redirect: elsewhere };
    // An overridden hook may read its own options.
    if (this.authorizationParams === OAuth2Strategy.prototype.authorizationParams)
      refuseMisspelledOptions(passportOptions);
    const extra = this.authorizationParams(passportOptions) as Record<string, string>;
    const isLink = purposeOf(passportOptions) === 'link';
    if (isLink && !isFromOwnPage(req, origin)) throw denied('cross_site_request');
    const state: AttemptState = {
      ...{ mode: 'page', owner: 'strategy', siteState: passportOptions.state ?? options.state },
      ...(isLink && { account: new SessionUser(loginSession, req).account }),
    };
    const redirect = await attempts.start(req, responseOf(req), options, state, extra);
    events.emit('sign_in_started');
    return { redirect };
  }

  /** @returns what loads the profile if a subclass loads another one. */
  private profileLoader(): ProfileLoader | undefined {
    if (this.userProfile === ClinicianStrategy.prototype.userProfile) return undefined;
    return (tokens) =>
      new Promise((resolve, reject) => {
        const done = (error?: unknown, loaded?: unknown) =>
          error ? reject(error) : resolve(loaded as PassportProfile);
        this.userProfile(tokens.accessToken.reveal(), done, tokens.subject);
      });
  }

  /**
   * Reports the outcome of a callback to Passport. A failure is saved for the page of `failureRedirect`, and
   * `successReturnToOrRedirect` leads to the page that the sign-in was started for. @internal
   */
  protected reportCallback(
    pending: Promise<PassportOutcome>,
    req: SessionRequest,
    { failureRedirect, successReturnToOrRedirect }: AuthenticateOptions,
    { returnTo = '/' }: Partial<Attempt> = {},
  ): void {
    const isShown = failureRedirect !== undefined;
    const reported = isShown ? savingFailure(pending, this.parts, req, responseOf(req), returnTo) : pending;
    const isReturning = successReturnToOrRedirect !== undefined && returnTo !== '/';
    this.report(isReturning ? returningAtLogIn(reported, req, this.parts.paths.inBrowser(req, returnTo)) : reported);
  }

  /** Reports the outcome to Passport. @internal */
  protected report(pending: Promise<PassportOutcome>): void {
    void reportOutcome(this, pending, this.parts);
  }
}

/** The name by which Passport's users look for a strategy. */
export { ClinicianStrategy as Strategy };

refuseAsStrategy(ClinicianStrategy, 'new ClinicianStrategy(options, verify)');

/** @returns the options of a link without a popup and a silent login: they end on pages of `clinicianLogin()`. */
function pageOnly({ display: _, prompt, ...link }: LoginOptions): LoginOptions {
  return { ...link, ...(!isSilent(prompt) && defined({ prompt })) };
}

function checkGrantID(grantID: string, name: string): string {
  const source = `the 'grantID' of req.authInfo at the callback. Store it in the session, and call ${name}() for signed-in users only.`;
  assertGrantID(grantID, `strategy.${name}()`, source);
  return grantID;
}
