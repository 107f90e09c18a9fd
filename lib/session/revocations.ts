import type { PendingWork } from '../async/pending-work.js';
import { withTimeout } from '../async/with-timeout.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { isSameServiceSession, type TokenSet } from '../authorization-server/token-set.js';
import { isClinicianError, ServiceUnavailableError } from '../errors/errors.js';
import { codeOf } from '../events/event-table.js';
import type { Events } from '../events/events.js';

interface RevocationsOptions {
  server: Pick<AuthorizationServer, 'revoke'>;
  events: Events;
  work: Pick<PendingWork, 'track'>;
}

const TIMEOUT_MS = 2000;

/** Revokes the tokens of logins that have ended at the service (RFC 7009). @internal */
export class Revocations {
  readonly #options: RevocationsOptions;

  constructor(options: RevocationsOptions) {
    this.#options = options;
  }

  /**
   * Revokes at the service, in bounded time. Never throws.
   * @param continuing the tokens of a login that continues: other tokens of its session at the service are not revoked, because
   * some services would end the session
   */
  revoke(tokens: TokenSet, userID: string | undefined = tokens.subject, continuing?: TokenSet): Promise<void> {
    if (isSameServiceSession(tokens, continuing)) return Promise.resolve();
    return this.#options.work.track(this.#revoke(tokens, userID));
  }

  async #revoke(tokens: TokenSet, userID: string | undefined): Promise<void> {
    const { server, events } = this.#options;
    try {
      await withTimeout(TIMEOUT_MS, server.revoke(tokens.refreshToken ?? tokens.accessToken));
      events.emit('revoked', { userID });
    } catch (error) {
      // Not a failure: the service revokes no token.
      if (codeOf(error) === 'revocation_unsupported') return events.emit('revocation_unsupported', { userID });
      const cause = isClinicianError(error) ? error : revocationTimeout();
      events.reportFailure('revocation_failed', userID, 'revocation_failed', cause);
    }
  }
}

function revocationTimeout(): ServiceUnavailableError {
  const message = `The service did not revoke the tokens within ${TIMEOUT_MS / 1000} seconds.`;
  return new ServiceUnavailableError('service_timeout', message);
}
