import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenSet } from '../authorization-server/token-set.js';
import { denied } from '../errors/denials.js';
import { ConfigurationError } from '../errors/errors.js';
import { refuseAsStrategy } from '../express/call-checks.js';
import { refuseSpeculation } from '../express/responses.js';
import type { Secret } from '../sealing/secret.js';
import { queryOf, type SessionRequest, unsupportedSession } from '../session/site-session.js';
import { type Attempt, isAuthorizationResponse } from '../sign-in/attempts.js';
import type { AttemptState, LoginOptions } from '../sign-in/login-request.js';
import { isFromOwnPage } from '../sign-in/same-origin.js';
import { accountOf } from '../sign-in/same-user.js';
import {
  type AuthenticateOptions,
  loginOptionsIn,
  purposeOf,
  refuseMisspelledOptions,
} from './authenticate-options.js';
import { finishSignIn, type ProfileLoader } from './finish-sign-in.js';
import { OAuth2Strategy } from './oauth2-strategy.js';
import type { PassportOutcome } from './passport-errors.js';
import { type PassportProfile, passportProfile } from './passport-profile.js';
import { reportOutcome, returningAtLogIn } from './report-outcome.js';
import { savingFailure } from './sign-in-failure.js';
import type { EndSessionOptions } from './site-tokens.js';
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
 * Calls `success(user, info)`, with `info.state` and `info.returnTo`; `clinician.strategy` also with `info.grantID`. Calls `fail({ code,
 * message, cause })` when the user, the service or the site denied the sign-in, or the attempt is not of this browser:
 * `message` is for the user, and the error `cause` has the description from the service. Calls `error(...)` for other errors
 * (see {@link isClinicianError}): the error handler of the site receives them, so no warning reports them.
 *
 * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not use the network before the first
 * sign-in. Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
 */
export class ClinicianStrategy extends OAuth2Strategy {
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
   * Starts a login, or finishes one when the request is an authorization response. Called by Passport. `clinician.strategy` also reads
   * the options of a link at the path of `routes.login`; those of the call take precedence.
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
   * Exchanges a refresh token that the site has stored itself for new tokens. The service then revokes the earlier ones: store the new
   * ones in their place. Concurrent calls with the same token share one request in this process. A site with several processes needs
   * `clinicianLogin()`, which locks the tokens in its store.
   * @throws ProtocolError `invalid_grant` if the service refuses the token: the user must sign in again
   */
  async refresh(refreshToken: string | Secret): Promise<TokenSet> {
    return this.parts.siteTokens.refresh(refreshToken);
  }

  /**
   * Revokes a token that the site has stored itself, at a sign-out or when another login replaces it (spec, "Authentication", 7). A
   * refresh token revokes its access token, too. Takes at most two seconds, and does not reject if the service fails: the event and
   * warning `revocation_failed` reports that, and this process tries again.
   */
  async revoke(token: string | Secret): Promise<void> {
    await this.parts.siteTokens.revoke(token);
  }

  /**
   * @returns the URL that ends the session of a login at the service (OpenID Connect RP-Initiated Logout 1.0; spec, /oauth/logout), for
   * a redirect of the browser; undefined if the service has no such endpoint. It contains the ID Token: send it to no script.
   */
  async endSessionURL(options: EndSessionOptions): Promise<string | undefined> {
    return this.parts.siteTokens.endSessionURL(options);
  }

  private respond(req: SessionRequest, options: AuthenticateOptions): void {
    const { attempts, errorResponses, callbackRoute } = this.parts;
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
    this.begin(req, res, options, loginOptionsIn(options));
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
      ...{ mode: 'passport', siteState: passportOptions.state ?? options.state },
      ...(isLink && { account: accountOf(req, loginSession) }),
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
