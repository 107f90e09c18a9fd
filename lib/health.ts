import type { Clock } from './async/clock.js';
import { withTimeout } from './async/timers.js';
import type { AuthorizationServer } from './authorization-server/authorization-server.js';
import { codeOf } from './events/events.js';
import type { Revocations } from './session/revocations.js';
import type { GrantRecords } from './token-vault/grant-records.js';

/** The result of the latest check of one part. */
export interface HealthCheck {
  /** `unknown` until the first result. */
  state: 'up' | 'down' | 'unknown';
  /** When this state began, in milliseconds since the Unix epoch. */
  since?: number;
  /** The code of the error, while the state is `down`. */
  code?: string;
}

/** The result of `health()`. */
export interface ClinicianHealth {
  /**
   * True if this process can serve its signed-in users, because `store` is not `down`. It does not depend on the service:
   * otherwise all processes would fail at once, and no other could replace them.
   */
  ok: boolean;
  /** The token store, written and read. */
  store: HealthCheck;
  /** The authorization server and, in the `openid` flow, its metadata document. */
  service: HealthCheck;
  /** The signing keys of the service. Absent in the `profile` flow, which has none. */
  keys?: HealthCheck;
  /** How many tokens this process still has to revoke. Absent if there are none. */
  waitingRevocations?: number;
}

const SERVICE_INTERVAL_MS = 60_000;
const STORE_INTERVAL_MS = 1_000;
/** A check that has no result prevents another one for this time, or for its interval if that is longer. */
const RETRY_MS = 10_000;
/** Orchestrators wait one second by default. */
const MAX_WAIT_MS = 500;

class Check {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #request: () => Promise<unknown>;
  #startedAt = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | undefined;
  #result: HealthCheck = { state: 'unknown' };

  constructor(clock: Clock, intervalMs: number, request: () => Promise<unknown>) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#request = request;
  }

  /** @param codeInTime the code of a check that has no result in time. Absent: the latest result remains */
  async run(codeInTime?: string): Promise<HealthCheck> {
    const elapsedMs = this.#clock.now() - this.#startedAt;
    // A start in the future is from before a change of the clock.
    const isPending = this.#pending !== undefined;
    const intervalMs = isPending ? Math.max(RETRY_MS, this.#intervalMs) : this.#intervalMs;
    if (elapsedMs >= intervalMs || elapsedMs < 0) this.#pending = this.#start();
    await withTimeout(MAX_WAIT_MS, this.#pending ?? Promise.resolve()).catch(() => {
      if (codeInTime !== undefined) this.#set(codeInTime);
    });
    return { ...this.#result };
  }

  #start(): Promise<void> {
    this.#startedAt = this.#clock.now();
    const pending = this.#request()
      .then(
        () => this.#set(),
        (error: unknown) => this.#set(codeOf(error)),
      )
      .finally(() => {
        if (this.#pending === pending) this.#pending = undefined;
      });
    return pending;
  }

  #set(code?: string): void {
    const state = code === undefined ? 'up' : 'down';
    const since = this.#result.state === state ? (this.#result.since as number) : this.#clock.now();
    this.#result = { state, since, ...(code !== undefined && { code }) };
  }
}

/** @returns the function `health()` of an instance. */
export function createHealth(
  clock: Clock,
  { checks }: Pick<AuthorizationServer, 'checks'>,
  { records, revocations }: { records: GrantRecords; revocations: Revocations },
): () => Promise<ClinicianHealth> {
  const service = new Check(clock, SERVICE_INTERVAL_MS, checks.metadata);
  const keys = checks.keys && new Check(clock, SERVICE_INTERVAL_MS, checks.keys);
  const store = new Check(clock, STORE_INTERVAL_MS, () => records.checkStore());

  return async function health() {
    const [ofService, ofKeys, ofStore] = await Promise.all([
      service.run(),
      keys?.run(),
      store.run('token_store_unavailable'),
    ]);
    const { waiting } = revocations;
    return {
      ok: ofStore.state !== 'down',
      store: ofStore,
      service: ofService,
      ...(ofKeys && { keys: ofKeys }),
      ...(waiting > 0 && { waitingRevocations: waiting }),
    };
  };
}
