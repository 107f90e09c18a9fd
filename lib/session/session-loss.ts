import type { ServerResponse } from 'node:http';
import type { Clock } from '../async/clock.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Cookies } from '../sealing/cookies.js';
import type { SessionRequest } from './site-session.js';
import type { Tokens } from './tokens.js';
import { tokensInMemory } from './tokens-in-memory.js';

/** How soon after a sign-in the session must be sent back, in milliseconds. */
const LIFETIME_MS = 2 * 60 * 1000;

/** Detects a site whose session does not survive the sign-in, which would otherwise redirect its users forever. @internal */
export interface SessionLoss {
  /** Marks the browser, in its own cookie, as signed in just now with this grant. */
  mark(res: ServerResponse, grantID: string): void;
  /** Removes the mark: the session was sent back, with its login. */
  clear(req: SessionRequest, res: ServerResponse): void;
  /**
   * @returns an error, once, for a browser that has the mark and no login, although its tokens are stored here, or in the memory of
   * another process: without them the user was signed out elsewhere. Without the mark there is no I/O.
   */
  detect(req: SessionRequest, res: ServerResponse): Promise<ConfigurationError | undefined> | undefined;
}

function sessionNotSaved(): ConfigurationError {
  return new ConfigurationError(
    'session_not_saved',
    "passport-clinician: a user signed in, and the next request had no session. express-session's cookie was not set, or the browser does not send it. With cookie.secure the request must be https: behind a proxy that terminates TLS, call app.set('trust proxy', 1). Otherwise check cookie.path, cookie.domain and the session store.",
  );
}

interface SessionLossOptions {
  cookies: Cookies;
  clock: Clock;
  tokens: Pick<Tokens, 'vault' | 'isOfOtherProcess'>;
}

export function createSessionLoss({ cookies, clock, tokens }: SessionLossOptions): SessionLoss {
  const cookie = cookies.sealed('signed-in', LIFETIME_MS / 1000);

  async function detectLoss(grantID: string, markedAt: number): Promise<ConfigurationError | undefined> {
    // If the token store is unavailable, the sign-in that follows reports that.
    const isStored = (await tokens.vault.find(grantID).catch(() => undefined)) !== undefined;
    if (isStored) return sessionNotSaved();
    return tokens.isOfOtherProcess(grantID, markedAt) ? tokensInMemory() : undefined;
  }

  return {
    mark: (res, grantID) => void cookie.set(res, `${clock.now()} ${grantID}`),
    clear: (req, res) => cookie.clear(req, res),
    detect(req, res) {
      const [markedAt, grantID] = cookie.read(req)?.split(' ') ?? [];
      if (grantID === undefined || clock.now() - Number(markedAt) > LIFETIME_MS) return undefined;
      cookie.clear(req, res);
      return detectLoss(grantID, Number(markedAt));
    },
  };
}
