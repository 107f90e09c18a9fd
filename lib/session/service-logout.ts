import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { constantTimeEqual } from '../authorization-server/constant-time-equal.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { wireQuery } from '../sign-in/login.js';
import type { Sealer } from '../token-vault/sealer.js';
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
  sealer: Sealer;
  secure: boolean;
  postLogoutRedirectURI: string | undefined;
}

export function createServiceLogout(options: ServiceLogoutOptions): ServiceLogout {
  const { server, sealer, secure, postLogoutRedirectURI } = options;
  const name = secure ? '__Host-clinician-logout' : 'clinician-logout';

  function setCookie(res: ServerResponse, value: string, maxAge: number): void {
    const cookie = stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure });
    res.appendHeader('Set-Cookie', cookie);
  }

  return {
    async start(res, ended) {
      if (postLogoutRedirectURI === undefined || ended?.idToken === undefined) return undefined;
      const state = randomBytes(32).toString('base64url');
      const asked = server.endSession({ idTokenHint: ended.idToken, postLogoutRedirectURI, state });
      // A service that cannot be asked where its end of session is does not hold up a logout here.
      const url = await withTimeout(PATIENCE, asked).catch(() => undefined);
      if (url !== undefined) setCookie(res, sealer.seal(state, name), LIFETIME_SECONDS);
      return url;
    },

    finish(req, res) {
      const [state, another] = wireQuery(req).getAll('state');
      const sealed = parseCookie(req.headers.cookie ?? '')[name];
      if (!state || another !== undefined || !sealed) return false;
      const expected = sealer.open(sealed, name)?.plain;
      if (expected === undefined || !constantTimeEqual(state, expected)) return false;
      setCookie(res, '', 0);
      return true;
    },
  };
}
