import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { ClinicianError, ServiceUnavailableError } from '../../lib/errors/errors.js';
import { Secret } from '../../lib/sealing/sealer.js';
import type { MovableClock } from './movable-clock.js';

/** A token endpoint in memory: it rotates refresh tokens, revokes the old pair, and revokes every pair on a replay. */
export interface RotatingServer {
  issue(lifetimeMs?: number): TokenSet;
  refresh(tokens: TokenSet): Promise<TokenSet>;
  /** @returns whether the resource API would accept the token. */
  accepts(accessToken: string): boolean;
  /** The number of refresh requests. */
  readonly refreshCount: number;
  /** The next refreshes fail with these errors and change nothing. */
  failWith(...errors: Error[]): void;
  /** Delays refreshes until the returned function is called. */
  hold(): () => void;
}

export function rotatingServer(clock: MovableClock): RotatingServer {
  const activePairs = new Map<string, string>();
  const failures: Error[] = [];
  let requests = 0;
  let issued = 0;
  let gate: Promise<void> = Promise.resolve();

  function issue(lifetimeMs = 1_800_000): TokenSet {
    issued += 1;
    activePairs.set(`refresh-${issued}`, `access-${issued}`);
    return {
      accessToken: new Secret(`access-${issued}`),
      refreshToken: new Secret(`refresh-${issued}`),
      expiresAt: clock.now() + lifetimeMs,
      scope: ['openid'],
      params: {},
    };
  }

  return {
    issue,
    get refreshCount() {
      return requests;
    },
    accepts: (accessToken) => [...activePairs.values()].includes(accessToken),
    failWith: (...errors) => void failures.push(...errors),
    hold() {
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
    async refresh({ refreshToken }) {
      requests += 1;
      await gate;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const presented = refreshToken?.reveal() ?? '';
      if (!activePairs.delete(presented)) {
        activePairs.clear();
        throw invalidGrant();
      }
      return issue();
    },
  };
}

export function invalidGrant(): ClinicianError {
  return new ClinicianError('refused', { code: 'invalid_grant', status: 401, remedy: 'sign_in' });
}

export function serviceDown(): ServiceUnavailableError {
  return new ServiceUnavailableError('service_unreachable', 'down');
}
