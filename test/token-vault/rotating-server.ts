import { ClinicianError, ServiceUnavailableError } from '../../lib/errors.js';
import { Secret } from '../../lib/secret.js';
import type { MovableClock } from './movable-clock.js';

/** Tokens as small as the vault allows. */
export interface Pair {
  accessToken: Secret;
  refreshToken?: Secret;
  expiresAt: number;
}

/** What a pair looks like while it is sealed. */
export interface FrozenPair {
  accessToken: string;
  refreshToken?: string;
  expiresAt: number;
}

export function freeze({ accessToken, refreshToken, expiresAt }: Pair): FrozenPair {
  return { accessToken: accessToken.reveal(), ...(refreshToken && { refreshToken: refreshToken.reveal() }), expiresAt };
}

export function thaw({ accessToken, refreshToken, expiresAt }: FrozenPair): Pair {
  return {
    accessToken: new Secret(accessToken),
    ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
    expiresAt,
  };
}

/** The part of an authorization server that a vault meets: rotates, revokes the old pair, and the whole family on a replay. */
export interface RotatingServer {
  issue(life?: number): Pair;
  refresh(tokens: Pair): Promise<Pair>;
  /** What the resource API would say. */
  accepts(accessToken: string): boolean;
  /** How many times it was asked. */
  readonly asked: number;
  /** The next refreshes fail with this, without being carried out. */
  failWith(...errors: Error[]): void;
  /** Refreshes wait until the returned function is called. */
  hold(): () => void;
}

export function rotatingServer(clock: MovableClock, lifetime = 1_800_000): RotatingServer {
  const live = new Map<string, string>();
  const failures: Error[] = [];
  let asked = 0;
  let issued = 0;
  let gate: Promise<void> = Promise.resolve();

  function issue(life = lifetime): Pair {
    issued += 1;
    live.set(`refresh-${issued}`, `access-${issued}`);
    return {
      accessToken: new Secret(`access-${issued}`),
      refreshToken: new Secret(`refresh-${issued}`),
      expiresAt: clock.now() + life,
    };
  }

  return {
    issue,
    get asked() {
      return asked;
    },
    accepts: (accessToken) => [...live.values()].includes(accessToken),
    failWith: (...errors) => void failures.push(...errors),
    hold() {
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
    async refresh({ refreshToken }) {
      asked += 1;
      await gate;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const presented = refreshToken?.reveal() ?? '';
      if (!live.delete(presented)) {
        live.clear();
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
