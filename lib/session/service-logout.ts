import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { constantTimeEqual } from '../authorization-server/constant-time-equal.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Cookies } from '../cookies.js';
import { wireQuery } from '../sign-in/login.js';
import { withTimeout } from '../with-timeout.js';
import type { SiteRequest } from './types.js';

const PATIENCE = 2000;
const LIFETIME_SECONDS = 10 * 60;

/** The way to the service's end of session and back (OpenID Connect RP-Initiated Logout 1.0). @internal */
export interface ServiceLogout {
  /** @returns where to send a person who was signed out here, so that they are at the service, too; undefined when that cannot be. */
  start(res: ServerResponse, ended: TokenSet | undefined): Promise<string | undefined>;
  /** @returns true when a person comes back from there, from a logout that was started in this browser. */
  finish(req: SiteRequest, res: ServerResponse): boolean;
}

export interface ServiceLogoutOptions {
  server: Pick<AuthorizationServer, 'endSession'>;
  cookies: Cookies;
  postLogoutRedirectURI: string | undefined;
}

export function createServiceLogout(options: ServiceLogoutOptions): ServiceLogout {
  const { server, cookies, postLogoutRedirectURI } = options;
  const cookie = cookies.sealed('logout', LIFETIME_SECONDS);

  return {
    async start(res, ended) {
      if (postLogoutRedirectURI === undefined || ended?.idToken === undefined) return undefined;
      const state = randomBytes(32).toString('base64url');
      const asked = server.endSession({ idTokenHint: ended.idToken, postLogoutRedirectURI, state });
      // A service that cannot be asked where its end of session is does not hold up a logout here.
      const url = await withTimeout(PATIENCE, asked).catch(() => undefined);
      if (url !== undefined) cookie.set(res, state);
      return url;
    },

    finish(req, res) {
      const [state, another] = wireQuery(req).getAll('state');
      const expected = cookie.read(req);
      if (!state || another !== undefined || expected === undefined) return false;
      if (!constantTimeEqual(state, expected)) return false;
      cookie.clear(req, res);
      return true;
    },
  };
}
