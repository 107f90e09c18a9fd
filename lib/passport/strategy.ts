import type { ServerResponse } from 'node:http';
import OAuth2Strategy from 'passport-oauth2';
import type { Transaction } from '../authorization-server/authorization-request.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { createCookies } from '../cookies.js';
import { ConfigurationError } from '../errors.js';
import { codeOf, createEvents, type Events } from '../events.js';
import { defined } from '../json.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { type ClinicianGrant, createTokenManager, type TokenManager } from '../session/token-manager.js';
import { createLogin, isAuthorizationResponse, type Login } from '../sign-in/login.js';
import { type AuthenticateOptions, authorizationParameters, refuseMisspelledOptions } from './authenticate-options.js';
import { type PassportOutcome, passportOutcome } from './passport-errors.js';
import { type PassportProfile, passportProfile } from './passport-profile.js';
import { type ClinicianStrategyOptions, resolveStrategyOptions } from './strategy-options.js';
import { callVerify, type VerifyFunction } from './verify.js';

interface Parts {
  login: Login;
  events: Events;
  /** Absent without option `tokenStore`. */
  tokens: TokenManager | undefined;
  verify: VerifyFunction;
  passReqToCallback: boolean;
  skipUserProfile: boolean;
}

function responseOf(req: SessionRequest): ServerResponse {
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
 * Calls `success(user, info)`, with `info.state`, `info.returnTo` and, with a token store, `info.grantID`; `fail({ code, message
 * })` when the user, the service or the site denied the sign-in, or the attempt is not of this browser; and `error(...)` for
 * other errors (see {@link isClinicianError}).
 *
 * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not use the network until a login.
 * Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
 */
export class ClinicianStrategy extends OAuth2Strategy {
  /** Not a `#field`: Passport calls a strategy through `Object.create(strategy)`. */
  declare private readonly parts: Parts;

  constructor(options: ClinicianStrategyOptions, verify: VerifyFunction) {
    const { resolved, tokenStore: store, onEvent, ...settings } = resolveStrategyOptions(options, verify);
    // passport-oauth2 has its own HTTP client, for subclasses that request resources. It does not get the client secret.
    super(
      {
        authorizationURL: `${resolved.issuer}/oauth/authorize`,
        tokenURL: `${resolved.issuer}/oauth/token`,
        clientID: resolved.clientID,
        clientSecret: '',
        callbackURL: resolved.callbackURL,
        scope: [...resolved.scope],
      },
      verify,
    );
    this.name = 'clinician';
    const login = createLogin({ ...resolved, cookies: createCookies(resolved) });
    const events = createEvents({ ...resolved, onEvent });
    const tokens = store && createTokenManager({ ...resolved, store, events, server: login.server });
    const parts: Parts = { login, events, tokens, verify, ...settings };
    Object.defineProperty(this, 'parts', { value: parts });
    for (const hidden of ['_oauth2', '_verify']) Object.defineProperty(this, hidden, { enumerable: false });
  }

  /** Starts a login, or finishes one when the request is an authorization response. Called by Passport. */
  override authenticate(req: Parameters<OAuth2Strategy['authenticate']>[0], options: AuthenticateOptions = {}): void {
    const outcome = isAuthorizationResponse(queryOf(req)) ? this.finish(req) : this.start(req, options);
    const reported = outcome.catch((error: unknown) => {
      this.parts.events.emit('sign_in_failed', { code: codeOf(error) });
      return passportOutcome(error);
    });
    // Outside the promise: what a handler of the site throws is an uncaught exception, as it is with passport-oauth2.
    void reported.then((result) => setImmediate(() => this.report(result)));
  }

  /** Reads the profile, for Passport and for subclasses. Override it to load another one. */
  override userProfile(accessToken: string, done: (error?: unknown, profile?: unknown) => void): void {
    this.parts.login.readProfile(accessToken).then(
      (profile) => done(null, passportProfile({ id: profile.id, issuer: '' }, profile)),
      (error: unknown) => done(error),
    );
  }

  /**
   * @returns the tokens of one login: the resource API with them, refreshed as needed, their state and their revocation.
   * @param grantID the `grantID` of `req.authInfo` at the callback. Store it in the session; it is not a secret.
   * Throws a {@link ConfigurationError} when option `tokenStore` is missing.
   */
  grant(grantID: string): ClinicianGrant {
    return this.tokenManager().grant(grantID);
  }

  /** Revokes and erases everything stored about one user. Safe to repeat. @param userID the `id` that the verify function returned */
  async forget(userID: string | number): Promise<void> {
    await this.tokenManager().forgetUser(String(userID));
  }

  private tokenManager(): TokenManager {
    if (this.parts.tokens) return this.parts.tokens;
    throw new ConfigurationError(
      'option_missing',
      "passport-clinician: option 'tokenStore' is missing, so no tokens are stored. Pass a token store.",
      { option: 'tokenStore' },
    );
  }

  private async start(req: SessionRequest, options: AuthenticateOptions): Promise<PassportOutcome> {
    // An overridden hook may read its own options.
    if (this.authorizationParams === OAuth2Strategy.prototype.authorizationParams) refuseMisspelledOptions(options);
    const extra = this.authorizationParams(options) as Record<string, string>;
    const { login, events } = this.parts;
    const redirect = await login.start(req, responseOf(req), authorizationParameters(options, extra));
    events.emit('sign_in_started');
    return { redirect };
  }

  private async finish(req: SessionRequest): Promise<PassportOutcome> {
    const { login, tokens } = this.parts;
    const transaction = login.consumeTransaction(req, responseOf(req));
    const tokenSet = await login.redeem(req, transaction);
    let outcome: PassportOutcome | undefined;
    try {
      outcome = await this.signIn(req, transaction, tokenSet);
      return outcome;
    } finally {
      // Tokens that are not stored could not be revoked later. Without a token store the verify function has them.
      if (!outcome || !('user' in outcome)) await tokens?.revoke(tokenSet);
    }
  }

  private async signIn(
    req: SessionRequest,
    { appState, returnTo }: Transaction,
    tokenSet: TokenSet,
  ): Promise<PassportOutcome> {
    const { verify, passReqToCallback, tokens, events } = this.parts;
    const profile = await this.profileOf(tokenSet);
    const { user, info } = await callVerify(verify, { req, passReqToCallback, tokens: tokenSet, profile });
    if (user === false) return { fail: info };
    const userID = String((user as { id?: unknown }).id ?? profile?.id ?? tokenSet.subject);
    const grantID = await tokens?.vault.put(userID, tokenSet);
    events.emit('signed_in', { userID, scope: tokenSet.scope });
    return {
      user,
      info: {
        ...defined({ grantID, state: appState, returnTo }),
        ...info,
      },
    };
  }

  /** Reads the profile and the identity as the drop-in does, unless a subclass loads another profile. */
  private async profileOf(tokenSet: TokenSet): Promise<PassportProfile | undefined> {
    const { login, skipUserProfile } = this.parts;
    if (skipUserProfile) return undefined;
    if (this.userProfile === ClinicianStrategy.prototype.userProfile) {
      const { identity, profile } = await login.identify(tokenSet);
      return passportProfile(identity, profile);
    }
    return new Promise<PassportProfile>((resolve, reject) => {
      this.userProfile(tokenSet.accessToken.reveal(), (error, loaded) =>
        error ? reject(error) : resolve(loaded as PassportProfile),
      );
    });
  }

  private report(outcome: PassportOutcome): void {
    if ('redirect' in outcome) this.redirect(outcome.redirect);
    else if ('fail' in outcome) this.fail(outcome.fail, outcome.status as number);
    else if ('user' in outcome) this.success(outcome.user as Express.User, outcome.info);
    else this.error(outcome.error);
  }
}
