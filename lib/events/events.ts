import { BoundedMap } from '../async/bounded-map.js';
import type { Clock } from '../async/clock.js';
import { WARNING_CODES, type WarningCode } from '../errors/error-codes.js';
import { isClinicianError } from '../errors/errors.js';
import { printWarning } from '../errors/print-warning.js';
import { safeText } from '../errors/safe-text.js';
import {
  type ClinicianEventName,
  describeEvent,
  EVENTS,
  type EventDetails,
  type EventLevel,
  type EventMembers,
} from './event-table.js';

/** An event of a login, for logs and metrics. Its level is the name of a method of `console`, pino and winston. */
export interface ClinicianEvent extends EventMembers {
  name: ClinicianEventName;
  level: EventLevel;
  /** What has happened, in plain sentences for a log. */
  message: string;
  /** Milliseconds since the Unix epoch. */
  at: number;
  flow: 'openid' | 'profile';
}

/** Receives every event. Its exceptions and rejections are ignored: a log that fails does not fail a sign-in. */
export type ClinicianEventListener = (event: ClinicianEvent) => unknown;

/** @returns whether `DEBUG` enables a name, by the rules of the package `debug`: comma-separated, `*` as a wildcard, `-` excludes. */
export function isDebugEnabled(setting: string | undefined, name: string): boolean {
  const patterns = (setting ?? '').split(/[\s,]+/).filter(Boolean);
  const matches = (pattern: string) =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    ).test(name);
  if (patterns.some((pattern) => pattern.startsWith('-') && matches(pattern.slice(1)))) return false;
  return patterns.some((pattern) => matches(pattern));
}

/** In this time a failure with the same name and code has the level `debug`, and no second warning. */
const MIN_REPEAT_MS = 60_000;
/** An event about each forged cookie would fill the log of the site. */
const UNKNOWN_SECRET_INTERVAL_MS = 10 * 60 * 1000;
const MAX_FAILURES = 1000;
const MAX_KEY_LENGTH = 200;

interface EventsOptions {
  clock: Clock;
  flow: ClinicianEvent['flow'];
  onEvent: ClinicianEventListener | undefined;
  /** See `CoreOptions`. @default false */
  isDevelopment?: boolean;
}

/** Sends events to the site and to `DEBUG`. @internal */
export class Events {
  readonly #options: EventsOptions;
  readonly #debug = process.env.DEBUG;
  /** True in development, if the site has no event listener. */
  readonly #printsDenials: boolean;
  readonly #failures: Repetitions;
  readonly #unknownSecrets: Repetitions;
  readonly #reported = new WeakSet<object>();

  constructor(options: EventsOptions) {
    const { clock, onEvent, isDevelopment = false } = options;
    this.#options = options;
    this.#printsDenials = !onEvent && isDevelopment;
    this.#failures = new Repetitions(clock, MIN_REPEAT_MS);
    this.#unknownSecrets = new Repetitions(clock, UNKNOWN_SECRET_INTERVAL_MS);
  }

  /** Emits an event with the level, message and remedy of its entry in the table of events, and of its error. */
  emit<Name extends ClinicianEventName>(name: Name, details?: EventDetails<Name>): void {
    const { clock, flow, onEvent } = this.#options;
    const { error, ...members } = { ...details } as EventMembers & { error?: unknown };
    if (typeof error === 'object' && error !== null) this.#reported.add(error);
    if (!onEvent && !this.#debug && !this.#printsDenials) return;
    const { level, message, ...failure } = describeEvent(name, { ...details });
    const { code } = failure;
    // `login_ended` follows a refresh that was denied, and a page asks the user about a change of user.
    const isLast = name !== 'refresh_failed' && code !== 'user_change_unconfirmed';
    if (this.#printsDenials && level === 'info' && code !== undefined && isLast) {
      const reason = isClinicianError(error) && safeText(error.message);
      printWarning(code, reason ? `${EVENTS[name].message} ${reason}` : message);
    }
    if (this.#debug && isDebugEnabled(this.#debug, `clinician:${name}`)) {
      // JSON escapes line breaks and control characters of an id.
      process.stderr.write(`clinician:${name} ${JSON.stringify({ flow, ...members, ...failure })}\n`);
    }
    const event: ClinicianEvent = {
      ...{ name, level: this.#levelOf(name, level, code), message, at: clock.now(), flow },
      ...{ ...members, ...failure },
    };
    // Ignores exceptions and rejections alike: see ClinicianEventListener.
    new Promise((resolve) => resolve(onEvent?.(event))).catch(() => undefined);
  }

  /** Emits an event that is not of a request, and prints it if the site has no event listener. */
  report<Name extends ClinicianEventName>(name: Name, details?: EventDetails<Name>): void {
    this.emit(name, details);
    if (!this.#options.onEvent) printWarning(name, describeEvent(name, { ...details }).message);
  }

  /** Prints a warning for the operator of the site, if the site has no event listener. */
  warn({ code, message, cause }: { code: string; message: string; cause?: unknown }): void {
    // An exception of the site's own code is printed with its stack: an event contains only its code.
    const isOwn = code === 'site_error' && cause instanceof Error;
    if (this.#options.onEvent && !isOwn) return;
    if (this.#failures.has(isOwn ? `warning ${cause.message.slice(0, MAX_KEY_LENGTH)}` : `warning ${code}`)) return;
    printWarning(code, isOwn ? `${message}\n${cause.stack ?? cause.message}` : message);
  }

  /** Emits the event of a failure and warns the operator. @param error the cause, if the event has its code */
  reportFailure(
    name: 'request_failed' | 'erasure_failed',
    userID: string | undefined,
    code: WarningCode,
    error?: unknown,
  ): void {
    this.emit(name, error === undefined ? { userID, code } : { userID, error });
    this.warn({ code, message: WARNING_CODES[code] });
  }

  /** Reports sealed text of an unknown secret, at most once in ten minutes. */
  reportUnknownSecret(): void {
    if (!this.#unknownSecrets.has('')) this.report('secret_unknown');
  }

  /** Returns true for an error that an event has reported, or whose cause an event has reported. */
  hasReported(error: Error): boolean {
    const { cause } = error;
    return this.#reported.has(error) || (typeof cause === 'object' && cause !== null && this.#reported.has(cause));
  }

  /** A repeated failure is a detail. */
  #levelOf(name: ClinicianEventName, level: EventLevel, code: string | undefined): EventLevel {
    if (level === 'debug' || level === 'info' || code === undefined) return level;
    return this.#failures.has(`${name} ${code}`) ? 'debug' : level;
  }
}

/** Reports of the last minutes, so that none is repeated in this time. */
class Repetitions {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #reportedAt = new BoundedMap<string, number>(MAX_FAILURES);

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** @returns true for a key that was reported within the interval; else it is reported now. */
  has(key: string): boolean {
    const now = this.#clock.now();
    const elapsedMs = now - (this.#reportedAt.get(key) ?? Number.NEGATIVE_INFINITY);
    // A time in the future is from before a change of the clock.
    if (elapsedMs >= 0 && elapsedMs < this.#intervalMs) return true;
    this.#reportedAt.set(key, now);
    return false;
  }
}
