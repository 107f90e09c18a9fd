import type { ServerResponse } from 'node:http';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { hasServiceSession, type TokenSet } from '../authorization-server/token-set.js';
import type { Cookies } from '../cookies.js';
import { WARNING_CODES } from '../error-codes.js';
import type { Events } from '../events.js';
import { randomText } from '../random.js';
import { constantTimeEqual, Secret } from '../secret.js';
import { withTimeout } from '../with-timeout.js';
import { createDelayedRevocations, type EndedLogin } from './delayed-revocations.js';
import type { LoginSession } from './login-session.js';
import type { Logins, SessionLogin } from './logins.js';
import type { SiteSessionStore } from './session-store.js';
import { queryOf, type SessionRequest } from './site-session.js';
import type { Tokens } from './tokens.js';

/** Ends logins: their tokens, and the session that contains them. @internal */
export interface SignOut {
  /**
   * Revokes and erases a login that no session contains any more. Never throws.
   * @param sessionID the session that contained it. It is deleted if another request has saved it again before the erasure
   * @param replacement the tokens of the login that replaces it: see {@link Tokens.revoke}
   */
  discard(login: SessionLogin, sessionID?: string, replacement?: TokenSet): Promise<void>;
  /** Erases the login of this session and ends the session. @returns the login, for {@link ServiceLogout.start}. */
  eraseSession(req: SessionRequest): Promise<EndedLogin | undefined>;
  /** Discards the login of this session and ends the session. */
  endSession(req: SessionRequest): Promise<void>;
  /** Revokes and erases everything stored about the user, in every session, and ends this session. */
  forgetUser(req: SessionRequest): Promise<void>;
}

export function createSignOut(options: {
  loginSession: LoginSession;
  tokens: Tokens;
  logins: Logins;
  sessionStore: Pick<SiteSessionStore, 'remove'>;
  events: Events;
}): SignOut {
  const { loginSession, tokens, logins, sessionStore, events } = options;

  /**
   * Erases tokens. If the token store is unavailable, the login still ends, and a new sign-in does not fail: the records expire.
   */
  async function erase<T>({ grantID, userKey }: SessionLogin, eraseTokens: () => Promise<T>): Promise<T | undefined> {
    try {
      return await eraseTokens();
    } catch {
      logins.end(grantID);
      events.emit('erasure_failed', { userID: userKey, code: 'erasure_failed' });
      events.warn({ code: 'erasure_failed', message: WARNING_CODES.erasure_failed });
      return undefined;
    }
  }

  async function discard(login: SessionLogin, sessionID?: string, replacement?: TokenSet): Promise<void> {
    await erase(login, () => tokens.revokeAndDelete(login.grantID, login.userKey, replacement));
    // A session that cannot be deleted is replaced at its next request.
    if (sessionID !== undefined) await sessionStore.remove(sessionID, login.grantID).catch(() => undefined);
  }

  async function end(req: SessionRequest, login: SessionLogin | undefined): Promise<void> {
    await loginSession.end(req);
    if (login) events.emit('signed_out', { userID: login.userKey });
  }

  /** Erases a login. Revokes its tokens too, unless that may end the session at the service. */
  async function eraseLogin(login: SessionLogin): Promise<EndedLogin | undefined> {
    const { grantID, userKey: userID } = login;
    const erased = await erase(login, () => tokens.erase(grantID, userID));
    if (erased === undefined) return undefined;
    const isRevoked = !hasServiceSession(erased);
    if (isRevoked) await tokens.revoke(erased, userID);
    return { tokens: erased, userID, isRevoked };
  }

  return {
    discard,
    async eraseSession(req) {
      const login = loginSession.read(req);
      const ended = login && (await eraseLogin(login));
      try {
        await end(req, login);
        return ended;
      } catch (error) {
        if (ended && !ended.isRevoked) await tokens.revoke(ended.tokens, ended.userID);
        throw error;
      }
    },
    async endSession(req) {
      const login = loginSession.read(req);
      if (login) await discard(login);
      await end(req, login);
    },
    async forgetUser(req) {
      const login = loginSession.read(req);
      if (login) await tokens.forget(login.userKey);
      await loginSession.end(req);
    },
  };
}

const TIMEOUT_MS = 2000;
const LIFETIME_SECONDS = 10 * 60;
/** How soon the browser continues at the service. */
const CONTINUE_SECONDS = 60;
/** The response to a sign-out sets other cookies too, and removes some: all headers fit into 4 kB, the default of nginx. */
const MAX_ID_TOKEN_BYTES = 2000;

/** Holds the request that the browser of a signed-out user sends to the service. @internal */
export interface LogoutRequest {
  url: string;
  /** The parameters, where they are the fields of a form and not in the URL. */
  fields?: Record<string, string>;
}

/** Starts and finishes the logout at the service (OpenID Connect RP-Initiated Logout 1.0). @internal */
export interface ServiceLogout {
  /**
   * Saves the ID Token in a sealed cookie, for {@link ServiceLogout.continue}. Revokes tokens that are not revoked yet when the
   * browser returns from the service: see docs/decisions/0022.
   * @returns 'saved'; a form that ends the session at the service, where the ID Token is too long for a cookie; undefined where the
   * service has no logout for this login
   */
  start(
    req: SessionRequest,
    res: ServerResponse,
    ended: EndedLogin | undefined,
  ): Promise<'saved' | LogoutRequest | undefined>;
  /** @returns the request that ends the session at the service, once; undefined in a browser where none is saved. */
  continue(req: SessionRequest, res: ServerResponse): Promise<LogoutRequest | undefined>;
  /** @returns true for a redirect from the service with the `state` that {@link ServiceLogout.start} sent to this browser. */
  finish(req: SessionRequest, res: ServerResponse): Promise<boolean>;
  /** Revokes at once the tokens of logins whose browsers have not returned. */
  close(): Promise<void>;
}

interface ServiceLogoutOptions {
  server: Pick<AuthorizationServer, 'endSession'>;
  tokens: Pick<Tokens, 'revoke'>;
  cookies: Cookies;
  postLogoutRedirectURI: string | undefined;
  endSessionMethod: 'GET' | 'POST';
}

/** The maximum length of the URL of a logout. A longer one has a long ID Token, and is replaced by a form. */
const MAX_URL_LENGTH = 2000;
const PARAMETERS = ['id_token_hint', 'post_logout_redirect_uri', 'state', 'client_id'];

/** @returns the same request with its parameters as the fields of a form: the endpoint's URL may have a query of its own. */
function asForm(address: string): LogoutRequest {
  const url = new URL(address);
  const fields: Record<string, string> = {};
  for (const name of PARAMETERS) {
    fields[name] = url.searchParams.get(name) ?? '';
    url.searchParams.delete(name);
  }
  return { url: url.href, fields };
}

export function createServiceLogout(options: ServiceLogoutOptions): ServiceLogout {
  const { server, tokens, cookies, postLogoutRedirectURI, endSessionMethod } = options;
  const cookie = cookies.sealed('logout', LIFETIME_SECONDS);
  const savedIDToken = cookies.sealed('end-session', CONTINUE_SECONDS);
  const revoke = (ended: EndedLogin) => tokens.revoke(ended.tokens, ended.userID);
  const delayed = createDelayedRevocations(revoke);

  async function logoutURL(idToken: Secret | undefined, state: string): Promise<string | undefined> {
    if (postLogoutRedirectURI === undefined || idToken === undefined) return undefined;
    const request = server.endSession({ idTokenHint: idToken, postLogoutRedirectURI, state });
    // A service whose metadata cannot be read does not delay the logout here.
    return await withTimeout(TIMEOUT_MS, request).catch(() => undefined);
  }

  function save(req: SessionRequest, res: ServerResponse, idToken: string): boolean {
    const bytes = savedIDToken.bytes(idToken) ?? Number.POSITIVE_INFINITY;
    return bytes <= MAX_ID_TOKEN_BYTES && cookies.makeRoom(req, res, bytes) && savedIDToken.set(res, idToken);
  }

  return {
    async start(req, res, ended) {
      if (ended === undefined) return undefined;
      const { idToken } = ended.tokens;
      const state = randomText(32);
      const url = await logoutURL(idToken, state);
      if (!ended.isRevoked) await (url === undefined ? revoke(ended) : delayed.add(state, ended));
      if (url === undefined || idToken === undefined) return undefined;
      cookie.set(res, state);
      return save(req, res, idToken.reveal()) ? 'saved' : asForm(url);
    },

    async continue(req, res) {
      const state = cookie.read(req);
      const idToken = savedIDToken.read(req);
      savedIDToken.clear(req, res);
      if (state === undefined || idToken === undefined) return undefined;
      const url = await logoutURL(new Secret(idToken), state);
      if (url === undefined) return undefined;
      return endSessionMethod === 'POST' || url.length > MAX_URL_LENGTH ? asForm(url) : { url };
    },

    async finish(req, res) {
      const [state, another] = queryOf(req).getAll('state');
      const expected = cookie.read(req);
      if (!state || another !== undefined || expected === undefined) return false;
      if (!constantTimeEqual(state, expected)) return false;
      cookie.clear(req, res);
      await delayed.revokeNow(state);
      return true;
    },

    close: delayed.close,
  };
}
