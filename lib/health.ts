import type { Clock } from './async/clock.js';
import { withTimeout } from './async/with-timeout.js';
import type { AuthorizationServer } from './authorization-server/authorization-server.js';
import { isClinicianError } from './errors/errors.js';
import { codeOf } from './events/event-table.js';

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
  /** The token store, written and read. Absent if the strategy has none. */
  store?: HealthCheck;
  /** The authorization server and, in the `openid` flow, its metadata document. */
  service: HealthCheck;
  /** The signing keys of the service. Absent in the `profile` flow, which has none. */
  keys?: HealthCheck;
  /** The number of tokens whose revocation this process repeats. Absent if there are none. */
  waitingRevocations?: number;
}

const SERVICE_INTERVAL_MS = 30_000;
const STORE_INTERVAL_MS = 1_000;
/** After this time a call that has no result does not prevent another one. */
const STORE_RETRY_MS = 10_000;
/** Orchestrators wait one second by default. */
const MAX_WAIT_MS = 500;

interface Check {
  readonly result: HealthCheck;
  set(code?: string): void;
}

function createCheck(clock: Clock): Check {
  let result: HealthCheck = { state: 'unknown' };
  return {
    get result() {
      return { ...result };
    },
    set(code) {
      const state = code === undefined ? 'up' : 'down';
      const since = result.state === state ? (result.since as number) : clock.now();
      result = { state, since, ...(code !== undefined && { code }) };
    },
  };
}

/**
 * Starts a call at most once in an interval. @returns a function that resolves to true when the latest call has a result, and to
 * false when it has none in time
 */
function atMostEvery(clock: Clock, intervalMs: number, retryMs: number, start: () => Promise<void>) {
  let startedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  return async function run(): Promise<boolean> {
    const elapsedMs = clock.now() - startedAt;
    // A start in the future is from before a change of the clock.
    if (elapsedMs >= (pending ? retryMs : intervalMs) || elapsedMs < 0) {
      startedAt = clock.now();
      const call = start().finally(() => {
        if (pending === call) pending = undefined;
      });
      pending = call;
    }
    if (pending === undefined) return true;
    return withTimeout(MAX_WAIT_MS, pending).then(
      () => true,
      () => false,
    );
  };
}

/** @param checkStore writes to the token store and rejects when it fails. Absent without a token store */
export function createHealth(options: {
  server: Pick<AuthorizationServer, 'checks'>;
  checkStore: (() => Promise<void>) | undefined;
  revocations: { readonly waiting: number };
  clock: Clock;
}): () => Promise<ClinicianHealth> {
  const { server, checkStore, revocations, clock } = options;
  const { metadata: checkMetadata, keys: checkKeys } = server.checks;
  const [store, service, keys] = [createCheck(clock), createCheck(clock), createCheck(clock)];
  let isKeysTurn = false;

  /** Sends one request: for the metadata document, then for the keys, and so on. */
  async function requestDocument(): Promise<void> {
    const isForKeys = isKeysTurn && checkKeys !== undefined;
    try {
      await (isForKeys ? checkKeys() : checkMetadata());
      service.set();
      if (isForKeys) keys.set();
      isKeysTurn = !isKeysTurn;
    } catch (error) {
      const code = codeOf(error);
      if (isForKeys) keys.set(code);
      if (!isForKeys || (isClinicianError(error) && error.retryable)) service.set(code);
      isKeysTurn = false;
    }
  }

  const runService = atMostEvery(clock, SERVICE_INTERVAL_MS, SERVICE_INTERVAL_MS, requestDocument);
  const runStore = atMostEvery(clock, STORE_INTERVAL_MS, STORE_RETRY_MS, async () => {
    await checkStore?.().then(
      () => store.set(),
      (error: unknown) => store.set(codeOf(error)),
    );
  });

  return async function health() {
    const [hasStoreResult] = await Promise.all([runStore(), runService()]);
    if (!hasStoreResult) store.set('token_store_unavailable');
    const { waiting } = revocations;
    return {
      ok: store.result.state !== 'down',
      ...(checkStore && { store: store.result }),
      service: service.result,
      ...(checkKeys && { keys: keys.result }),
      ...(waiting > 0 && { waitingRevocations: waiting }),
    };
  };
}
