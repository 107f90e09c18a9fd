import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../async/clock.js';
import { ConfigurationError } from '../errors/errors.js';
import { Cookies, type SealedCookie } from '../sealing/cookies.js';
import { randomText, type Secret } from '../sealing/secret.js';
import type { SessionRequest } from './site-session.js';
import type { Tokens } from './tokens.js';
import { tokensInMemory } from './tokens-in-memory.js';

/** The cookie is of all instances on a host, in place of the id of one. */
const ALL_INSTANCES = 'shared';
const ID_BYTES = 18;
/** How soon after a sign-in the session must be sent back, in milliseconds. */
const LIFETIME_MS = 2 * 60 * 1000;

/**
 * @returns a function that identifies the browser of a sign-in by a random cookie, which it sets in a browser without one. It returns
 * the digest that the login contains: a session that an attacker has planted has logins with the digest of another browser
 * @internal
 */
export function createBrowserID(options: { secure: boolean; secrets: readonly Secret[] }) {
  const cookie = new Cookies({ ...options, instance: ALL_INSTANCES, basePath: '' }).plain('browser');
  return function browserID(req: SessionRequest, res: ServerResponse): string {
    const known = cookie.read(req);
    const id = known || randomText(ID_BYTES);
    if (id !== known) cookie.set(res, id);
    return createHash('sha256').update(id).digest('base64url');
  };
}

interface SessionLossOptions {
  cookies: Cookies;
  clock: Clock;
  tokens: Pick<Tokens, 'vault' | 'isOfOtherProcess'>;
  /** True if the site is on https. */
  secure: boolean;
}

/** Detects a site whose session does not survive the sign-in, which would otherwise redirect its users forever. @internal */
export class SessionLoss {
  readonly #options: SessionLossOptions;
  readonly #cookie: SealedCookie;

  constructor(options: SessionLossOptions) {
    this.#options = options;
    this.#cookie = options.cookies.sealed('signed-in', LIFETIME_MS / 1000);
  }

  /** Throws if express-session sets no cookie, because it is for https only and the site is on http. */
  checkCookie({ session }: SessionRequest): void {
    if (this.#options.secure || session?.cookie?.secure !== true) return;
    throw sessionNotSaved(
      "session() has cookie.secure, so its cookie is sent only over https, and callbackURL is http. In development, set cookie: { secure: 'auto' }.",
    );
  }

  /** Marks the browser, in its own cookie, as signed in just now with this grant. */
  mark(res: ServerResponse, grantID: string): void {
    this.#cookie.set(res, `${this.#options.clock.now()} ${grantID}`);
  }

  /** Removes the mark: the session was sent back, with its login. */
  clear(req: SessionRequest, res: ServerResponse): void {
    this.#cookie.clear(req, res);
  }

  /**
   * @returns an error, once, for a browser that has the mark and no login, although its tokens are stored here, or in the memory of
   * another process: without them the user was signed out elsewhere. Without the mark there is no I/O.
   */
  detect(req: SessionRequest, res: ServerResponse): Promise<ConfigurationError | undefined> | undefined {
    const [markedAt, grantID] = this.#cookie.read(req)?.split(' ') ?? [];
    if (grantID === undefined || this.#options.clock.now() - Number(markedAt) > LIFETIME_MS) return undefined;
    this.#cookie.clear(req, res);
    return this.#lossOf(req, grantID, Number(markedAt));
  }

  async #lossOf(req: SessionRequest, grantID: string, markedAt: number): Promise<ConfigurationError | undefined> {
    const { tokens } = this.#options;
    // If the token store is unavailable, the sign-in that follows reports that.
    const isStored = (await tokens.vault.find(grantID).catch(() => undefined)) !== undefined;
    if (!isStored) return tokens.isOfOtherProcess(grantID, markedAt) ? tokensInMemory() : undefined;
    return sessionNotSaved(
      req.session?.cookie?.secure === true
        ? "With cookie.secure, the request must be https: behind a proxy that terminates TLS, call app.set('trust proxy', 1), and let the proxy send X-Forwarded-Proto."
        : 'Check cookie.path and cookie.domain of session(), and the session store.',
    );
  }
}

const sessionNotSaved = (fix: string) =>
  new ConfigurationError(
    'session_not_saved',
    `passport-clinician: a user signed in, and has no session. The browser has no session cookie, or does not send it. ${fix}`,
  );
