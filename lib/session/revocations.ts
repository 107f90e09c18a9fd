import { withTimeout } from '../async/timers.js';
import type { PendingWork } from '../async/work.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { isClinicianError, ServiceUnavailableError } from '../errors/errors.js';
import { codeOf, type Events } from '../events/events.js';
import type { Secret } from '../sealing/sealer.js';

interface RevocationsOptions {
  server: Pick<AuthorizationServer, 'revoke' | 'revokeRefusedWith'>;
  events: Events;
  work: PendingWork;
}

/** The login whose tokens are revoked, for events. */
interface EndedLogin {
  userID?: string | undefined;
  grantID?: string | undefined;
}

interface Revocation extends EndedLogin {
  token: Secret;
  pauseMs: number;
  pausedMs: number;
  timer?: NodeJS.Timeout;
}

/** The longest wait for the service, and of a caller. */
const TIMEOUT_MS = 2_000;
/** The pause after the first failure. It doubles after each further one. */
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSED_MS = 10 * 60_000;
const MAX_WAITING = 1_000;
/** The token of a response that was refused can have any length. */
const MAX_TOKEN_LENGTH = 8_192;

/**
 * Revokes the tokens of logins that have ended at the service (RFC 7009). A request to which the service does not respond is
 * repeated by this process. @internal
 */
export class Revocations {
  readonly #options: RevocationsOptions;
  readonly #waiting = new Set<Revocation>();

  constructor(options: RevocationsOptions) {
    const { server, work } = options;
    this.#options = options;
    server.revokeRefusedWith((token) => this.#revoke(token, {}));
    work.closing.addEventListener('abort', () => {
      void work.track(Promise.all([...this.#waiting].map((revocation) => this.#repeat(revocation))));
    });
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Revokes at the service, in bounded time. Never throws. */
  revoke(
    tokens: Pick<TokenSet, 'accessToken'> & Partial<TokenSet>,
    { userID = tokens.subject, grantID }: EndedLogin = {},
  ): Promise<void> {
    // The revocation of the refresh token includes that of the access token.
    return this.#revoke(tokens.refreshToken ?? tokens.accessToken, { userID, grantID });
  }

  /** Reports tokens that are still valid at the service. */
  reportFailure({ userID, grantID }: EndedLogin, error: unknown): void {
    this.#options.events.report('revocation_failed', { userID, grantID, error });
  }

  #revoke(token: Secret, login: EndedLogin): Promise<void> {
    const sent = this.#options.work.track(this.#send({ token, ...login, pauseMs: FIRST_PAUSE_MS, pausedMs: 0 }));
    return withTimeout(TIMEOUT_MS, sent).catch(() => undefined);
  }

  async #send(revocation: Revocation): Promise<void> {
    try {
      await this.#request(revocation.token);
    } catch (error) {
      if (isClinicianError(error) && error.retryable && this.#canWait(revocation)) this.#wait(revocation);
      else this.reportFailure(revocation, error);
    }
  }

  /** Rejects when the service does not confirm the revocation. */
  async #request(token: Secret): Promise<void> {
    try {
      await withTimeout(TIMEOUT_MS, this.#options.server.revoke(token));
    } catch (error) {
      // Not a failure: the service revokes no token.
      if (codeOf(error) === 'revocation_unsupported') return;
      throw isClinicianError(error) ? error : revocationTimeout();
    }
  }

  #canWait({ token, pausedMs }: Revocation): boolean {
    const isLast = this.#options.work.closing.aborted || pausedMs >= MAX_PAUSED_MS;
    return !isLast && this.#waiting.size < MAX_WAITING && token.reveal().length <= MAX_TOKEN_LENGTH;
  }

  #wait(revocation: Revocation): void {
    // The user may be forgotten meanwhile.
    delete revocation.userID;
    this.#waiting.add(revocation);
    const repeat = () => void this.#options.work.track(this.#repeat(revocation));
    // The timer does not delay the end of the process.
    revocation.timer = setTimeout(repeat, revocation.pauseMs).unref();
  }

  #repeat(revocation: Revocation): Promise<void> {
    clearTimeout(revocation.timer);
    this.#waiting.delete(revocation);
    const pausedMs = revocation.pausedMs + revocation.pauseMs;
    const pauseMs = Math.min(2 * revocation.pauseMs, MAX_PAUSED_MS - pausedMs);
    return this.#send({ ...revocation, pauseMs, pausedMs });
  }
}

function revocationTimeout(): ServiceUnavailableError {
  const message = `The service did not revoke the tokens within ${TIMEOUT_MS / 1000} seconds.`;
  return new ServiceUnavailableError('service_unreachable', message);
}
