import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenSet } from '../authorization-server/token-set.js';
import { ConfigurationError } from '../errors/errors.js';
import { refuseAsStrategy } from '../express/call-checks.js';
import type { Site } from '../options/site.js';
import type { Secret } from '../sealing/sealer.js';
import type { SessionRequest } from '../session/site-session.js';
import type { AuthenticateOptions } from './authenticate-options.js';
import { OAuth2Strategy } from './oauth2-strategy.js';
import { type PassportProfile, passportProfile } from './passport-profile.js';
import { PassportSignIn } from './passport-sign-in.js';
import type { EndSessionOptions, SiteTokens } from './site-tokens.js';
import type { ClinicianStrategyOptions } from './strategy-options.js';
import type { VerifyFunction } from './verify.js';
import { wireStrategy } from './wire-strategy.js';

/** @returns the response of a request. Express sets it; the `res` that koa-passport sets has no headers. */
function responseOf({ res }: SessionRequest): ServerResponse {
  if (typeof res?.getHeader === 'function') return res;
  throw new ConfigurationError(
    'middleware_missing',
    "passport-clinician: this request has no 'res'. Use Express, which sets it.",
  );
}

/**
 * Implements the Passport strategy "Sign in as a clinician", named `clinician`. It is compatible with passport-oauth2: its
 * option names, its verify signatures, its error classes and its hooks `authorizationParams` and `userProfile`. Each login
 * attempt has its own sealed cookie, so the strategy needs no session.
 *
 * Calls `success(user, info)`, with `info.state` and `info.returnTo`; `clinician.strategy` also with `info.grantID`. Calls `fail({ code,
 * message, cause })` when the user, the service or the site denied the sign-in, or the attempt is not of this browser:
 * `message` is for the user, and the error `cause` has the description from the service. Calls `error(...)` for other errors
 * (see {@link isClinicianError}): your error handler receives them, so no warning reports them.
 *
 * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not use the network before the first
 * sign-in. Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
 */
export class ClinicianStrategy extends OAuth2Strategy {
  /** Not a `#field`: Passport calls a strategy through `Object.create(strategy)`. @internal */
  declare protected readonly signIn: PassportSignIn;
  /** For the tokens that the site keeps. @internal */
  declare protected readonly siteTokens: SiteTokens;

  constructor(options: ClinicianStrategyOptions, verify: VerifyFunction);
  /** The strategy of `clinicianLogin()`. @internal */
  constructor(site: Site, signIn: PassportSignIn, siteTokens: SiteTokens);
  constructor(
    options: ClinicianStrategyOptions | Site,
    verify: VerifyFunction | PassportSignIn,
    siteTokens?: SiteTokens,
  ) {
    const isWired = verify instanceof PassportSignIn;
    const wired = isWired
      ? { site: options as Site, signIn: verify, siteTokens }
      : wireStrategy(options as ClinicianStrategyOptions, verify);
    const { issuer, clientID, callbackURL, scope } = wired.site;
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
      () => undefined,
    );
    this.name = 'clinician';
    Object.defineProperties(this, { signIn: { value: wired.signIn }, siteTokens: { value: wired.siteTokens } });
    for (const hidden of ['_oauth2', '_verify']) Object.defineProperty(this, hidden, { enumerable: false });
  }

  /**
   * Starts a login, or finishes one when the request is an authorization response. Called by Passport. `clinician.strategy` also reads
   * the options of a link at the path of `routes.login`; those of the call take precedence.
   */
  override authenticate(req: IncomingMessage, options: AuthenticateOptions = {}): void {
    try {
      const res = responseOf(req);
      this.signIn.authenticate(req, res, { options, strategy: this, loadProfile: this.profileLoader() });
    } catch (error) {
      this.error(error);
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
    this.siteTokens.profile(accessToken).then(
      (profile) => done(null, passportProfile({ id: subject ?? profile.id, issuer: '' }, profile)),
      (error: unknown) => done(error),
    );
  }

  /**
   * Exchanges a refresh token that you have stored for new tokens. Store them in its place: the service revokes the earlier ones.
   * Concurrent calls with the same token share one request in this process. Several processes need `clinicianLogin()`, which
   * locks the tokens in its store.
   * @throws ProtocolError `invalid_grant` if the service refuses the token: the user must sign in again
   */
  async refresh(refreshToken: string | Secret): Promise<TokenSet> {
    return this.siteTokens.refresh(refreshToken);
  }

  /**
   * Revokes a token that you have stored, at a sign-out or when another login replaces it (spec, "Authentication", 7). A refresh
   * token revokes its access token, too. Takes at most two seconds, and does not reject if the service fails: the event and
   * warning `revocation_failed` reports that, and this process tries again.
   */
  async revoke(token: string | Secret): Promise<void> {
    await this.siteTokens.revoke(token);
  }

  /**
   * @returns the URL that ends the session of a login at the service (OpenID Connect RP-Initiated Logout 1.0; spec, /oauth/logout), for
   * a redirect of the browser; undefined if the service has no such endpoint. It contains the ID Token: send it to no script.
   */
  async endSessionURL(options: EndSessionOptions): Promise<string | undefined> {
    return this.siteTokens.endSessionURL(options);
  }

  /** @returns what loads the profile if a subclass loads another one. */
  private profileLoader(): ((tokens: TokenSet) => Promise<PassportProfile>) | undefined {
    if (this.userProfile === ClinicianStrategy.prototype.userProfile) return undefined;
    return (tokens) =>
      new Promise((resolve, reject) => {
        const done = (error?: unknown, loaded?: unknown) =>
          error ? reject(error) : resolve(loaded as PassportProfile);
        this.userProfile(tokens.accessToken.reveal(), done, tokens.subject);
      });
  }
}

/** The name by which Passport's users look for a strategy. */
export { ClinicianStrategy as Strategy };

refuseAsStrategy(ClinicianStrategy, 'new ClinicianStrategy(options, verify)');
