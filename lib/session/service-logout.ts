import { withTimeout } from '../async/timers.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { Cookies } from '../sealing/cookies.js';
import { constantTimeEqual, randomText, Secret } from '../sealing/sealer.js';
import type { Visit } from './visit.js';

/** The request that the browser of a signed-out user sends to the service. @internal */
export interface LogoutRequest {
  url: string;
  /** The parameters, if they are the fields of a form and not in the URL. */
  fields?: Record<string, string>;
}

interface ServiceLogoutOptions {
  server: Pick<AuthorizationServer, 'endSession'>;
  cookies: Cookies;
  postLogoutRedirectURI: string | undefined;
}

const TIMEOUT_MS = 2000;
const LIFETIME_SECONDS = 10 * 60;
const CONTINUE_SECONDS = 60;
/** The response to a sign-out sets other cookies too, and removes some: all headers fit into 4 kB, the default of nginx. */
const MAX_ID_TOKEN_LENGTH = 1400;
/** The maximum length of the URL of a logout. A longer one has a long ID Token, and is replaced by a form. */
const MAX_URL_LENGTH = 2000;
const PARAMETERS = ['id_token_hint', 'post_logout_redirect_uri', 'state', 'client_id'];

/** Starts and finishes the logout at the service (OpenID Connect RP-Initiated Logout 1.0). @internal */
export class ServiceLogout {
  readonly #options: ServiceLogoutOptions;
  readonly #cookie;
  readonly #savedIDToken;

  constructor(options: ServiceLogoutOptions) {
    const { cookies } = options;
    this.#options = options;
    this.#cookie = cookies.sealed('logout', LIFETIME_SECONDS);
    this.#savedIDToken = cookies.sealed('end-session', CONTINUE_SECONDS);
  }

  /**
   * Saves the ID Token of a login that has ended in a sealed cookie, for {@link continue}.
   * @returns 'saved'; a form that ends the session at the service, if the ID Token is too long for a cookie; undefined if the
   * service has no logout for this login
   */
  async start({ res }: Visit, idToken: Secret | undefined): Promise<'saved' | LogoutRequest | undefined> {
    const state = randomText(32);
    const url = await this.#logoutURL(idToken, state);
    if (url === undefined || idToken === undefined) return undefined;
    this.#cookie.set(res, state);
    return this.#save(res, idToken.reveal()) ? 'saved' : asForm(url);
  }

  /** @returns the request that ends the session at the service, once; undefined if none is saved in this browser. */
  async continue({ req, res }: Visit): Promise<LogoutRequest | undefined> {
    const state = this.#cookie.read(req);
    const idToken = this.#savedIDToken.read(req);
    this.#savedIDToken.clear(req, res);
    if (state === undefined || idToken === undefined) return undefined;
    const url = await this.#logoutURL(new Secret(idToken), state);
    if (url === undefined) return undefined;
    return url.length > MAX_URL_LENGTH ? asForm(url) : { url };
  }

  /** @returns true for a redirect from the service with the `state` that {@link start} sent to this browser. */
  async finish({ req, res, query }: Visit): Promise<boolean> {
    const [state, another] = query.getAll('state');
    const expected = this.#cookie.read(req);
    if (!state || another !== undefined || expected === undefined) return false;
    if (!constantTimeEqual(state, expected)) return false;
    this.#cookie.clear(req, res);
    return true;
  }

  async #logoutURL(idToken: Secret | undefined, state: string): Promise<string | undefined> {
    const { server, postLogoutRedirectURI } = this.#options;
    if (postLogoutRedirectURI === undefined || idToken === undefined) return undefined;
    const request = server.endSession({ idTokenHint: idToken, postLogoutRedirectURI, state });
    // A service whose metadata cannot be read does not delay the logout here.
    return await withTimeout(TIMEOUT_MS, request).catch(() => undefined);
  }

  #save(res: Visit['res'], idToken: string): boolean {
    return idToken.length <= MAX_ID_TOKEN_LENGTH && this.#savedIDToken.set(res, idToken);
  }
}

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
