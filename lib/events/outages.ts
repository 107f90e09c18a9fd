import type { Clock } from '../async/clock.js';
import { isClinicianError, ServiceUnavailableError } from '../errors/errors.js';
import type { Fetch } from '../http/http.js';
import type { OutagePart } from './event-table.js';

/** An outage that has ended. */
interface EndedOutage {
  part: OutagePart;
  /** The origin of the service. */
  origin: string | undefined;
  /** The number of calls that failed. */
  failures: number;
  /** From the first failure to the first success after the last failure. */
  durationMs: number;
}

interface Outage extends EndedOutage {
  startedAt: number;
  codes: Set<string>;
  recoveredAt: number | undefined;
  ending: NodeJS.Timeout | undefined;
}

/** An outage in which some calls succeed is one outage. */
const MIN_RECOVERY_MS = 10_000;

/** Codes of errors that follow from an outage of the service, although no call of their own failed. */
const CONSEQUENCES: Readonly<Record<OutagePart, readonly string[]>> = {
  service: ['service_unreachable', 'service_timeout', 'service_error', 'api_not_responding'],
  'token store': ['token_store_unavailable'],
  'session store': ['session_unavailable'],
};

interface OutagesOptions {
  clock: Clock;
  /** Receives the first error. */
  onStart(part: OutagePart, error: unknown, origin: string | undefined): void;
  onEnd(outage: EndedOutage): void;
}

/**
 * Detects the start and the end of outages, so that a log has one line for each instead of one for each failed request. A single
 * failed call is an outage: to wait for a second one would delay the line that matters.
 */
export class Outages {
  readonly #options: OutagesOptions;
  readonly #open = new Map<string, Outage>();

  constructor(options: OutagesOptions) {
    this.#options = options;
  }

  /** Counts a failed call. The first one starts the outage. */
  failed(part: OutagePart, error: unknown, origin?: string): void {
    const key = keyOf(part, origin);
    const known = this.#open.get(key);
    const { code } = error as { code: string };
    if (known) {
      known.failures += 1;
      known.codes.add(code);
      known.recoveredAt = undefined;
      clearTimeout(known.ending);
      return;
    }
    const [startedAt, codes] = [this.#options.clock.now(), new Set([code, ...CONSEQUENCES[part]])];
    this.#open.set(key, {
      ...{ part, origin, failures: 1, durationMs: 0, startedAt, codes },
      ...{ recoveredAt: undefined, ending: undefined },
    });
    this.#options.onStart(part, error, origin);
  }

  /** Counts a successful call. The outage ends when no call fails in the next ten seconds. */
  succeeded(part: OutagePart, origin?: string): void {
    if (this.#open.size === 0) return;
    const key = keyOf(part, origin);
    const outage = this.#open.get(key);
    if (outage === undefined || outage.recoveredAt !== undefined) return;
    outage.recoveredAt = this.#options.clock.now();
    outage.ending = setTimeout(() => this.#end(key, outage), MIN_RECOVERY_MS);
    outage.ending.unref();
  }

  /** @returns true for the code of a failure that an outage in progress explains. */
  explains(code: string): boolean {
    return [...this.#open.values()].some(({ codes }) => codes.has(code));
  }

  #end(key: string, { part, origin, failures, startedAt, recoveredAt = startedAt }: Outage): void {
    this.#open.delete(key);
    this.#options.onEnd({ part, origin, failures, durationMs: Math.max(0, recoveredAt - startedAt) });
  }
}

function keyOf(part: OutagePart, origin = ''): string {
  return `${part} ${origin}`;
}

/** @returns the fetch of the site, with its failed requests and responses of status 5xx counted as failures of the service. */
export function watchFetch(fetch: Fetch, outages: Outages): Fetch {
  return async function watchedFetch(url, init) {
    const { origin } = new URL(url);
    try {
      const response = await fetch(url, init);
      if (response.status >= 500) outages.failed('service', serverError(response.status, origin), origin);
      else outages.succeeded('service', origin);
      return response;
    } catch (error) {
      // A request that its caller aborts is no failure of the service.
      if (!init?.signal?.aborted)
        outages.failed('service', isClinicianError(error) ? error : unreachable(origin), origin);
      throw error;
    }
  };
}

function serverError(status: number, origin: string): ServiceUnavailableError {
  return new ServiceUnavailableError('service_error', `${origin} returned the HTTP status ${status}.`);
}

function unreachable(origin: string): ServiceUnavailableError {
  return new ServiceUnavailableError('service_unreachable', `${origin} cannot be reached.`);
}

/** Counts the result of a call as one of a store, if it fails with a code that an outage of the store has. */
export async function watchStore<T>(part: OutagePart, outages: Outages, call: Promise<T>): Promise<T> {
  try {
    const result = await call;
    outages.succeeded(part);
    return result;
  } catch (error) {
    if (isClinicianError(error) && CONSEQUENCES[part].includes(error.code)) outages.failed(part, error);
    throw error;
  }
}
