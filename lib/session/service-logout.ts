import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Cookies } from '../cookies.js';
import { constantTimeEqual } from '../secret.js';
import { withTimeout } from '../with-timeout.js';
import { queryOf, type SiteRequest } from './site-request.js';

const TIMEOUT_MS = 2000;
const LIFETIME_SECONDS = 10 * 60;

/** Starts and finishes the logout at the service (OpenID Connect RP-Initiated Logout 1.0). @internal */
export interface ServiceLogout {
  /** @returns the URL to redirect a signed-out user to; undefined where the service has no logout for this login. */
  start(res: ServerResponse, ended: TokenSet | undefined): Promise<string | undefined>;
  /** @returns true for a redirect from the service with the `state` that {@link ServiceLogout.start} sent to this browser. */
  finish(req: SiteRequest, res: ServerResponse): boolean;
}

export interface ServiceLogoutOptions {
  server: Pick<AuthorizationServer, 'endSession'>;
  cookies: Cookies;
  postLogoutRedirectURI: string | undefined;
}

export function createServiceLogout({ server, cookies, postLogoutRedirectURI }: ServiceLogoutOptions): ServiceLogout {
  const cookie = cookies.sealed('logout', LIFETIME_SECONDS);

  return {
    async start(res, ended) {
      if (postLogoutRedirectURI === undefined || ended?.idToken === undefined) return undefined;
      const state = randomBytes(32).toString('base64url');
      const request = server.endSession({ idTokenHint: ended.idToken, postLogoutRedirectURI, state });
      // A service whose metadata cannot be read does not delay the logout here.
      const url = await withTimeout(TIMEOUT_MS, request).catch(() => undefined);
      if (url !== undefined) cookie.set(res, state);
      return url;
    },

    finish(req, res) {
      const [state, another] = queryOf(req).getAll('state');
      const expected = cookie.read(req);
      if (!state || another !== undefined || expected === undefined) return false;
      if (!constantTimeEqual(state, expected)) return false;
      cookie.clear(req, res);
      return true;
    },
  };
}
