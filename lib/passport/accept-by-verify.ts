import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Events } from '../events/events.js';
import type { Revocations } from '../session/revocations.js';
import type { PassportCall, SiteSession } from '../session/site-session.js';
import type { Visit } from '../session/visit.js';
import type { Attempt } from '../sign-in/attempts.js';
import type { Identification, SignedInUser } from '../sign-in/identify.js';
import { refuseSentResponse } from '../sign-in/sign-in.js';
import { decisionOf, type NewUser, refuseOtherUser, type SignInPurpose, userKeyOf } from '../sign-in/site-user.js';
import { isUserID } from '../token-vault/token-store.js';
import type { PassportRequest } from './authenticate-options.js';
import type { OpenLogin } from './log-in.js';
import { type PassportProfile, passportProfile } from './passport-profile.js';
import { callVerify, VERIFY_PARAMETERS, type VerifyFunction } from './verify.js';

/** The decision of the site about a user. @internal */
export type SiteDecision = { user: unknown; info: object; login: OpenLogin } | { fail: object };

/** The site's verify function, and how it is called. @internal */
export interface Verification {
  readonly verify: VerifyFunction;
  readonly passReqToCallback: boolean;
  readonly skipUserProfile: boolean;
}

/** Accepts users by the site's verify function, which receives the tokens. @internal */
export class VerifiedLogins {
  readonly #verification: Verification;
  readonly #server: AuthorizationServer;
  readonly #identification: Identification;
  readonly #session: SiteSession;
  readonly #revocations: Revocations;
  readonly #events: Events;

  constructor(from: {
    verification: Verification;
    server: AuthorizationServer;
    identification: Identification;
    session: SiteSession;
    revocations: Revocations;
    events: Events;
  }) {
    this.#verification = from.verification;
    this.#server = from.server;
    this.#identification = from.identification;
    this.#session = from.session;
    this.#revocations = from.revocations;
    this.#events = from.events;
  }

  /** Redeems the response, and calls the verify function. Tokens that it does not accept are revoked. */
  async accept(request: PassportRequest, attempt: Attempt, purpose: SignInPurpose): Promise<SiteDecision> {
    const { visit } = request;
    const refuse = (found: NewUser) => refuseOtherUser(visit, purpose, attempt.appState, found);
    const tokens = await this.#server.redeem(visit.query, attempt);
    let decision: SiteDecision | undefined;
    try {
      decision = await this.#verify(request, tokens, refuse);
      return decision;
    } finally {
      // The site has accepted no login with these tokens, so it does not revoke them later.
      if (!decision || 'fail' in decision) await this.#revocations.revoke(tokens);
    }
  }

  async #verify(
    { visit, loadProfile }: PassportRequest,
    redeemed: TokenSet,
    refuse: (found: NewUser) => Promise<void>,
  ): Promise<SiteDecision> {
    const { verify, passReqToCallback } = this.#verification;
    const { identity, tokens, shown: profile } = await this.#identify(redeemed, loadProfile);
    await refuse({ identity });
    const leading = passReqToCallback ? [visit.req] : [];
    const params = verify.length >= leading.length + 5 ? [tokens.params] : [];
    const args = [...leading, tokens.accessToken.reveal(), tokens.refreshToken?.reveal(), ...params, profile];
    const { user, info } = await decisionOf('the verify function', () => callVerify(verify, args));
    if (user === false) return { fail: info };
    const userKey = userKeyOf(user, identity.id, `the verify function ${VERIFY_PARAMETERS}`);
    // The verify function may have changed the session, and shows the id of the site's own user.
    await refuse({ identity, site: { user, userKey } });
    const signedIn = async () => this.#events.emit('signed_in', { userID: userKey, scope: tokens.scope });
    return { user, info, login: this.#loginOf(visit, user, tokens, signedIn) };
  }

  #loginOf({ req, res }: Visit, user: unknown, tokens: TokenSet, release: () => Promise<void>): OpenLogin {
    const discard = () => this.#revocations.revoke(tokens);
    const establish = async (logIn: PassportCall) => {
      const { sessionID } = req;
      // A custom callback of the site may have waited. The session is unchanged.
      if (res.headersSent || res.destroyed) await discard();
      refuseSentResponse(res);
      try {
        await this.#session.logIn(req, user, logIn);
        refuseSentResponse(res);
      } catch (error) {
        await Promise.all([this.#session.abandon(req, sessionID), discard()]);
        throw error;
      }
      await release();
    };
    return { establish, release, discard, endsWithRequest: false };
  }

  /** @returns the user with the profile that the verify function gets. @param load loads another profile */
  async #identify(
    tokens: TokenSet,
    load: PassportRequest['loadProfile'],
  ): Promise<SignedInUser & { shown: PassportProfile | undefined }> {
    const { skipUserProfile } = this.#verification;
    if (!skipUserProfile && !load) {
      const signedIn = await this.#identification.identify(tokens);
      return { ...signedIn, shown: passportProfile(signedIn.identity, signedIn.profile) };
    }
    const shown = skipUserProfile ? undefined : await decisionOf('userProfile()', () => load?.(tokens));
    const id: unknown = tokens.subject ?? shown?.id;
    return { identity: { id: (isUserID(id) ? String(id) : undefined) as string, issuer: '' }, tokens, shown };
  }
}
