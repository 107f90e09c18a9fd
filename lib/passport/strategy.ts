import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { TokenSet } from '../authorization-server/token-set.js';
import { ConfigurationError, TransactionError } from '../errors/errors.js';
import { trace } from '../events/tracing.js';
import type { ClinicianHealth } from '../health.js';
import { defined } from '../http/json.js';
import type { ClinicianGrant } from '../session/clinician-grant.js';
import { queryOf, type SessionRequest, unsupportedSession } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import { type Attempt, isAuthorizationResponse } from '../sign-in/attempts.js';
import type { LoginOptions } from '../sign-in/login-request.js';
import { responseSent } from '../sign-in/pending-login.js';
import { userKeyOf } from '../sign-in/site-user.js';
import { userKeyFrom } from '../token-vault/user-key.js';
import { type AuthenticateOptions, loginOptionsIn, refuseMisspelledOptions } from './authenticate-options.js';
import { OAuth2Strategy } from './oauth2-strategy.js';
import type { PassportOutcome } from './passport-errors.js';
import { type PassportProfile, passportProfile } from './passport-profile.js';
import { refuseLateLogIn, reportOutcome } from './report-outcome.js';
import { BoundParts, type ClinicianStrategyOptions, createParts, type StrategyParts } from './strategy-options.js';
import { callVerify, type VerifyFunction } from './verify.js';

/** @returns the response of a request. Express sets it. @internal */
export function responseOf(req: SessionRequest): ServerResponse {
  if (req.res) return req.res;
  throw new ConfigurationError(
    'express_missing',
    "passport-clinician: this request has no 'res'. Use Express, which sets it.",
  );
}

/**
 * Implements the Passport strategy "Sign in as a clinician", named `clinician`. It is compatible with passport-oauth2: its
 * option names, its verify signatures, its error classes and its hooks `authorizationParams` and `userProfile`. A login attempt
 * is saved in its own sealed cookie, so the strategy needs no session.
 *
 * Calls `success(user, info)`, with `info.state`, `info.returnTo` and, with a token store, `info.grantID`. Calls `fail({ code,
 * message })` when the user, the service or the site denied the sign-in, or the attempt is not of this browser. Calls `error(...)`
 * for other errors (see {@link isClinicianError}): the error handler of the site receives them, so no process warning reports them.
 *
 * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not use the network until a login.
 * Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
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

  /** Starts a login, or finishes one when the request is an authorization response. Called by Passport. */
  override authenticate(req: SessionRequest, options: AuthenticateOptions = {}): void {
    // Passport calls these two when it signs the user in.
    const unsupported = options.session === false ? undefined : unsupportedSession(req, true);
    if (unsupported) this.report(Promise.reject(unsupported));
    else {
      const query = queryOf(req);
      const isResponse = isAuthorizationResponse(query);
      this.report(isResponse ? this.finish(req, query) : this.start(req, options, loginOptionsIn(options)));
    }
  }

  /**
   * Reads the profile, for Passport and for subclasses. Override it to load another one. An override that reads the UserInfo
   * endpoint must compare the `sub` of the response with `subject`, and pass an error to `done` where they are not exactly the
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
    const tokens = this.tokenManager();
    if (typeof grantID === 'string' && grantID !== '') return tokens.grant(grantID);
    throw new ConfigurationError(
      'argument_invalid',
      "passport-clinician: strategy.grant() needs the id of a login, a string: the 'grantID' of req.authInfo at the callback. Store it in the session, and call grant() for signed-in users only.",
    );
  }

  /** Revokes and erases everything stored about one user. Safe to repeat. @param userID the `id` that the verify function returned */
  async forget(userID: string | number): Promise<void> {
    await this.tokenManager().forget(userKeyFrom(userID, 'strategy.forget()'));
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
   * second at most, and never rejects. Sends at most one request to the service in 30 seconds, and one write to the token store in
   * a second.
   */
  health(): Promise<ClinicianHealth> {
    return this.parts.health();
  }

  private tokenManager(): Tokens {
    if (this.parts.tokens) return this.parts.tokens;
    throw new ConfigurationError(
      'option_missing',
      "passport-clinician: option 'tokenStore' is missing, so no tokens are stored. Pass a token store.",
      { option: 'tokenStore' },
    );
  }

  /** Starts a login attempt that this strategy finishes. @internal */
  protected async start(
    req: SessionRequest,
    passportOptions: AuthenticateOptions,
    options: LoginOptions,
  ): Promise<PassportOutcome> {
    const elsewhere = this.parts.callbackHost.redirectTo(req);
    if (elsewhere !== undefined) return { redirect: elsewhere };
    if (options.responseMode === 'fragment') this.checkFragmentPage();
    // An overridden hook may read its own options.
    if (this.authorizationParams === OAuth2Strategy.prototype.authorizationParams)
      refuseMisspelledOptions(passportOptions);
    const extra = this.authorizationParams(passportOptions) as Record<string, string>;
    const { attempts, events } = this.parts;
    const state = { mode: 'page', owner: 'strategy', siteState: passportOptions.state } as const;
    const redirect = await attempts.start(req, responseOf(req), options, state, extra);
    events.emit('sign_in_started');
    return { redirect };
  }

  /** Throws where nothing serves the page that reads the fragment. @internal */
  protected checkFragmentPage(): void {
    throw new ConfigurationError(
      'response_mode_unsupported',
      "passport-clinician: responseMode 'fragment' needs the page of clinicianLogin(). Use clinician.strategy, or 'query'.",
      { option: 'responseMode' },
    );
  }

  private async finish(req: SessionRequest, response: URLSearchParams): Promise<PassportOutcome> {
    const { attempts, flow } = this.parts;
    const found = attempts.find(req, response);
    if (found?.appState.owner === 'drop-in') throw attemptOfDropIn();
    const attempt = attempts.take(req, responseOf(req), response, found);
    return await trace('sign-in', { flow, kind: 'page' }, () => this.complete(req, response, attempt));
  }

  private async complete(req: SessionRequest, response: URLSearchParams, attempt: Attempt): Promise<PassportOutcome> {
    const { server, tokens } = this.parts;
    const tokenSet = await server.redeem(response, attempt);
    let outcome: PassportOutcome | undefined;
    try {
      outcome = await this.signIn(req, attempt, tokenSet);
      return outcome;
    } finally {
      // Tokens that are not stored could not be revoked later. Without a token store the verify function has them.
      if (!outcome || !('user' in outcome)) await tokens?.revoke(tokenSet);
    }
  }

  private async signIn(req: SessionRequest, attempt: Attempt, redeemed: TokenSet): Promise<PassportOutcome> {
    const { verify, passReqToCallback, tokens, events } = this.parts;
    const { profile, tokens: tokenSet } = await this.identify(redeemed);
    const { user, info } = await callVerify(verify, { req, passReqToCallback, tokens: tokenSet, profile });
    if (user === false) return { fail: info };
    const res = responseOf(req);
    if (res.headersSent) throw responseSent();
    const userID = userKeyOf(user, tokenSet.subject ?? profile?.id, 'the verify function');
    const grantID = (await tokens?.add(userID, tokenSet))?.id;
    const excess = (await tokens?.excessLogins(userID)) ?? [];
    const hasLogInFailed = refuseLateLogIn(req, res);
    if (excess.length > 0) {
      finished(res, () => {
        if (!hasLogInFailed()) void tokens?.endLogins(userID, excess);
      });
    }
    events.emit('signed_in', { userID, scope: tokenSet.scope });
    return {
      user,
      info: {
        ...defined({ grantID, state: attempt.appState.siteState, returnTo: attempt.returnTo }),
        ...info,
      },
    };
  }

  /** Reads the profile and the identity as the drop-in does, unless a subclass loads another profile. */
  private async identify(tokenSet: TokenSet): Promise<{ profile: PassportProfile | undefined; tokens: TokenSet }> {
    const { identification, skipUserProfile } = this.parts;
    if (skipUserProfile) return { profile: undefined, tokens: tokenSet };
    if (this.userProfile === ClinicianStrategy.prototype.userProfile) {
      const { identity, profile, tokens } = await identification.identify(tokenSet);
      return { profile: passportProfile(identity, profile), tokens };
    }
    const profile = await new Promise<PassportProfile>((resolve, reject) => {
      const done = (error?: unknown, loaded?: unknown) => (error ? reject(error) : resolve(loaded as PassportProfile));
      this.userProfile(tokenSet.accessToken.reveal(), done, tokenSet.subject);
    });
    return { profile, tokens: tokenSet };
  }

  /** Reports the outcome to Passport. @internal */
  protected report(pending: Promise<PassportOutcome>): void {
    void reportOutcome(this, pending, this.parts.events);
  }
}

/** @returns the error for a response to an attempt of the drop-in, for example a silent check, which signs no user in. */
function attemptOfDropIn(): TransactionError {
  return new TransactionError(
    'transaction_foreign',
    'This sign-in was started by clinicianLogin(), which has the same callbackURL. Use clinician.strategy at that path.',
  );
}
