import type { Clock } from '../async/clock.js';
import { BoundedMap } from '../async/work.js';
import { MEANINGS, type Remedy } from '../errors/error-codes.js';
import { type ClinicianError, isClinicianError } from '../errors/errors.js';
import { printWarning } from '../errors/print-warning.js';
import { safeText } from '../errors/safe-text.js';
import {
  type ClinicianEventName,
  EVENTS,
  type EventDetails,
  type EventLevel,
  type EventMembers,
  LEVELS,
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

const DEBUG_VALUES: ReadonlySet<string> = new Set(['*', 'clinician*', 'clinician:*']);

/** In this time a failure with the same name and code has the level `debug`, and no second warning. */
const MIN_REPEAT_MS = 60_000;
const MAX_FAILURES = 1000;
const MAX_KEY_LENGTH = 200;

interface EventsOptions {
  clock: Clock;
  flow: ClinicianEvent['flow'];
  onEvent: ClinicianEventListener | undefined;
  isDevelopment?: boolean;
}

/** Sends events to the site and to `DEBUG`. @internal */
export class Events {
  readonly #options: EventsOptions;
  readonly #printsAll = (process.env.DEBUG ?? '').split(/[\s,]+/).some((value) => DEBUG_VALUES.has(value));
  /** True in development, if the site has no event listener. */
  readonly #printsDenials: boolean;
  readonly #reportedAt = new BoundedMap<string, number>(MAX_FAILURES);
  readonly #reported = new WeakSet<object>();

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#printsDenials = !options.onEvent && options.isDevelopment === true;
  }

  /** Emits an event with the level, message and remedy of its entry in the table of events, and of its error. */
  emit<Name extends ClinicianEventName>(name: Name, details?: EventDetails<Name>): void {
    const { clock, flow, onEvent } = this.#options;
    const given: EventMembers & { error?: unknown } = details ?? {};
    if (typeof given.error === 'object' && given.error !== null) this.#reported.add(given.error);
    if (!onEvent && !this.#printsAll && !this.#printsDenials) return;
    const { error, ...members } = given;
    const { level, message, ...failure } = describeEvent(name, given);
    const { code } = failure;
    // `login_ended` follows a refresh that was denied.
    const isLast = name !== 'refresh_failed';
    if (this.#printsDenials && level === 'info' && code !== undefined && isLast) {
      const reason = isClinicianError(error) && safeText(error.message);
      printWarning(code, reason ? `${EVENTS[name].message} ${reason}` : message);
    }
    if (this.#printsAll) {
      // JSON escapes line breaks and control characters of an id.
      process.stderr.write(`clinician:${name} ${JSON.stringify({ flow, ...members, ...failure })}\n`);
    }
    // A repeated failure is a detail.
    const isFailure = (level === 'warn' || level === 'error') && code !== undefined;
    const isRepeated = isFailure && this.#isRepeated(`${name} ${code}`);
    const event: ClinicianEvent = {
      ...{ name, level: isRepeated ? 'debug' : level, message, at: clock.now(), flow },
      ...{ ...members, ...failure },
    };
    try {
      Promise.resolve(onEvent?.(event)).catch(() => undefined);
    } catch {
      // See ClinicianEventListener.
    }
  }

  /** Emits an event that is not of a request, and prints it: see {@link warn}. */
  report<Name extends ClinicianEventName>(name: Name, details?: EventDetails<Name>): void {
    this.emit(name, details);
    const members: EventMembers = { ...details };
    this.warn({ code: members.code ?? name, message: describeEvent(name, members).message });
  }

  /** Emits the event of an error that a request has caused, and warns the operator. */
  reportError(error: ClinicianError, userID?: string): void {
    this.emit('request_failed', { userID, error });
    this.warn(error);
  }

  /** Reports sealed text of an unknown secret. An event about each forged cookie would fill the log of the site. */
  reportUnknownSecret(): void {
    if (!this.#isRepeated('secret_unknown')) this.report('secret_unknown');
  }

  /** Prints a warning for the operator of the site, if the site has no event listener. */
  warn({ code, message, cause, see }: { code: string; message: string; cause?: unknown; see?: string }): void {
    // An exception of the site's own code is printed with its stack: an event contains only its code.
    const isOwn = code === 'site_error' && cause instanceof Error;
    if (this.#options.onEvent && !isOwn) return;
    if (this.#isRepeated(`warning ${isOwn ? cause.message.slice(0, MAX_KEY_LENGTH) : code}`)) return;
    printWarning(code, isOwn ? `${message}\n${cause.stack ?? cause.message}` : message, see);
  }

  /** Returns true for an error that an event has reported, or whose cause an event has reported. */
  hasReported(error: Error): boolean {
    const { cause } = error;
    return this.#reported.has(error) || (typeof cause === 'object' && cause !== null && this.#reported.has(cause));
  }

  /** @returns true for a failure that was reported within the last minute; else it is reported now. */
  #isRepeated(failure: string): boolean {
    const now = this.#options.clock.now();
    const elapsedMs = now - (this.#reportedAt.get(failure) ?? Number.NEGATIVE_INFINITY);
    // A time in the future is from before a change of the clock.
    if (elapsedMs >= 0 && elapsedMs < MIN_REPEAT_MS) return true;
    this.#reportedAt.set(failure, now);
    return false;
  }
}

/** @returns the level, message, code and remedy of an event. @internal */
export function describeEvent(
  name: ClinicianEventName,
  details: EventMembers & { error?: unknown },
): { level: EventLevel; message: string; code?: string; remedy?: Remedy } {
  const { level, message } = EVENTS[name];
  const { error, code = error === undefined ? undefined : codeOf(error) } = details;
  if (code === undefined) return { level: level === 'by remedy' ? 'warn' : level, message };
  const remedy = remedyOf(code, error);
  return {
    level: level !== 'by remedy' ? level : remedy === undefined ? 'warn' : LEVELS[remedy],
    message: `${message} ${reasonOf(code, error)}`.trimEnd(),
    code,
    ...(remedy !== undefined && { remedy }),
  };
}

/** @returns the code of any error; `unknown` for text that is not a code. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'unknown';
}

/** An exception of the site's own code has no remedy of its own: the code must be fixed. */
function remedyOf(code: string, error: unknown): Remedy | undefined {
  if (isClinicianError(error)) return error.remedy;
  const known = MEANINGS.get(code);
  return known ? known.remedy : 'fix_code';
}

/**
 * The message of an error that concerns the operator has the details. The message of another one is for the user, and may quote
 * the request: the event has the first sentence of the code's meaning.
 */
function reasonOf(code: string, error: unknown): string {
  const isKnown = isClinicianError(error);
  if (isKnown && LEVELS[error.remedy] !== 'info') return error.message;
  const meaning = MEANINGS.get(code)?.meaning ?? '';
  const [sentence] = meaning.split(/(?<=\.) /);
  if (sentence) return sentence;
  return isKnown ? `The service returned the error ${code}.` : 'Your code threw an error.';
}
