import type { ServerResponse } from 'node:http';
import OAuth2Strategy from 'passport-oauth2';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Transaction } from '../authorization-server/transaction.js';
import { createCookies } from '../cookies.js';
import { ConfigurationError } from '../errors.js';
import { codeOf, createEvents, type Events } from '../events.js';
import { type ClinicianGrant, createTokenManager, type TokenManager } from '../session/token-manager.js';
import type { SiteRequest } from '../session/types.js';
import { createLogin, isAuthorizationResponse, type Login, wireQuery } from '../sign-in/login.js';
import { type AuthenticateOptions, authorizationParameters, refuseMisspelledOptions } from './authenticate-options.js';
import { type PassportOutcome, passportOutcome } from './passport-errors.js';
import { type PassportProfile, passportProfile } from './passport-profile.js';
import { type ClinicianStrategyOptions, resolveStrategyOptions } from './strategy-options.js';
import { callVerify, type VerifyFunction } from './verify.js';

interface Inside {
  login: Login;
  events: Events;
  kept: TokenManager | undefined;
  verify: VerifyFunction;
  passReq: boolean;
  skipProfile: boolean;
}

function responseOf(req: SiteRequest): ServerResponse {
  if (req.res) return req.res;
  throw new ConfigurationError(
    'express_missing',
    "passport-clinician: this request has no 'res'. Use Express, which sets it.",
  );
}

/**
 * "Sign in as a clinician" as one more Passport strategy, named `clinician`, on passport-oauth2's contract: its option names,
 * its verify signatures, its error classes and its hooks `authorizationParams` and `userProfile`.
 * A login attempt lives in a sealed cookie of its own, so the strategy asks nothing of the session.
 *
 * Answers by `success(user, info)`, with `info.state`, `info.returnTo` and, where tokens are kept, `info.grantID`; by `fail({ code, message })` when the person or the
 * site said no or the attempt is not one of this browser; by `error(...)` for faults (see {@link isClinicianError}).
 *
 * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not touch the network until a login.
 * Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
 */
export class ClinicianStrategy extends OAuth2Strategy {
  /** Not a `#field`: Passport runs a strategy through `Object.create(strategy)`. */
  declare private readonly inside: Inside;

  constructor(options: ClinicianStrategyOptions, verify: VerifyFunction) {
    const { resolved, tokenStore, onEvent, passReqToCallback, skipUserProfile } = resolveStrategyOptions(
      options,
      verify,
    );
    // passport-oauth2 keeps a client of its own for subclasses' resource requests. It never sees the client secret.
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
    const events = createEvents({ clock: resolved.clock, flow: resolved.flow, onEvent });
    const inside: Inside = {
      login,
      events,
      kept: tokenStore && createTokenManager({ resolved, login, events, store: tokenStore }),
      verify,
      passReq: passReqToCallback,
      skipProfile: skipUserProfile,
    };
    Object.defineProperty(this, 'inside', { value: inside });
    for (const hidden of ['_oauth2', '_verify']) Object.defineProperty(this, hidden, { enumerable: false });
  }

  /** Starts a login, or ends one when the request is an authorization response. Called by Passport. */
  override authenticate(req: Parameters<OAuth2Strategy['authenticate']>[0], options: AuthenticateOptions = {}): void {
    const request = req as unknown as SiteRequest;
    const act = isAuthorizationResponse(wireQuery(req)) ? this.end(request) : this.begin(request, options);
    const outcome = act.catch((error: unknown) => {
      this.inside.events.emit('sign_in_failed', { code: codeOf(error) });
      return passportOutcome(error);
    });
    // Out of the promise: what the site's own handlers throw is theirs, as it is under passport-oauth2.
    void outcome.then((told) => setImmediate(() => this.answer(told)));
  }

  /** Reads the profile, as passport-oauth2 asks it of a strategy. Override it to load another one. */
  override userProfile(accessToken: string, done: (error?: unknown, profile?: unknown) => void): void {
    this.inside.login.readProfile(accessToken).then(
      (profile) => done(null, passportProfile({ id: profile.id, issuer: '' }, profile)),
      (error: unknown) => done(error),
    );
  }

  /**
   * The tokens of one login, by the `grantID` that `req.authInfo` had at the callback: the resource API with them, refreshed as
   * needed, and what can be done with them. Keep the id in the session; it is no secret of the service's.
   * Throws a {@link ConfigurationError} when option `tokenStore` is missing.
   */
  grant(grantID: string): ClinicianGrant {
    return this.kept().grant(grantID);
  }

  /** Revokes and erases everything kept about one user, by the `id` of what the verify function returned. Safe to repeat. */
  async forget(userID: string | number): Promise<void> {
    await this.kept().forgetUser(String(userID));
  }

  private kept(): TokenManager {
    if (this.inside.kept) return this.inside.kept;
    throw new ConfigurationError(
      'option_missing',
      "passport-clinician: option 'tokenStore' is missing: without one no tokens are kept.",
    );
  }

  private async begin(req: SiteRequest, options: AuthenticateOptions): Promise<PassportOutcome> {
    // A hook of the site's own may have options of its own.
    if (this.authorizationParams === OAuth2Strategy.prototype.authorizationParams) refuseMisspelledOptions(options);
    const extra = this.authorizationParams(options) as Record<string, string>;
    const { login, events } = this.inside;
    const redirect = await login.start(req, responseOf(req), authorizationParameters(options, extra));
    events.emit('sign_in_started');
    return { redirect };
  }

  private async end(req: SiteRequest): Promise<PassportOutcome> {
    const { login, kept } = this.inside;
    const transaction = login.consumeTransaction(req, responseOf(req));
    const tokens = await login.redeem(req, transaction);
    let outcome: PassportOutcome | undefined;
    try {
      outcome = await this.admit(req, transaction, tokens);
      return outcome;
    } finally {
      // Kept nowhere, so nobody could revoke them later. Without a token store they are the verify function's.
      if (!outcome || !('user' in outcome)) await kept?.revoke(tokens);
    }
  }

  private async admit(
    req: SiteRequest,
    { appState, returnTo }: Transaction,
    tokens: TokenSet,
  ): Promise<PassportOutcome> {
    const { verify, passReq, kept, events } = this.inside;
    const profile = await this.profileOf(tokens);
    const { user, info } = await callVerify(verify, { req, passReq, tokens, profile });
    if (user === false) return { fail: info };
    const userID = String((user as { id?: unknown }).id ?? profile?.id ?? tokens.subject);
    const grantID = await kept?.vault.put(userID, tokens);
    events.emit('signed_in', { userID, scope: tokens.scope });
    const told = {
      ...(grantID !== undefined && { grantID }),
      ...(appState !== undefined && { state: appState }),
      ...(returnTo !== undefined && { returnTo }),
      ...info,
    };
    return { user, info: told };
  }

  private async profileOf(tokens: TokenSet): Promise<PassportProfile | undefined> {
    const { login, skipProfile } = this.inside;
    if (skipProfile) return undefined;
    const own = this.userProfile === ClinicianStrategy.prototype.userProfile;
    if (own && !login.mayReadProfile(tokens.scope))
      return passportProfile(login.identify(tokens, undefined), undefined);
    const profile = await new Promise<PassportProfile>((resolve, reject) => {
      this.userProfile(tokens.accessToken.reveal(), (error, loaded) =>
        error ? reject(error) : resolve(loaded as PassportProfile),
      );
    });
    return own && tokens.subject !== undefined ? { ...profile, id: tokens.subject } : profile;
  }

  private answer(outcome: PassportOutcome): void {
    if ('redirect' in outcome) this.redirect(outcome.redirect);
    else if ('fail' in outcome) this.fail(outcome.fail, outcome.status as number);
    else if ('user' in outcome) this.success(outcome.user as Express.User, outcome.info);
    else this.error(outcome.error);
  }
}
