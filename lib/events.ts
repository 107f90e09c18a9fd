import type { FlowName } from './authorization-server/flows.js';
import { BoundedMap } from './bounded-map.js';
import type { Clock } from './clock.js';
import { WARNING_CODES } from './error-codes.js';
import {
  type ClinicianEventName,
  describeEvent,
  type EventDetails,
  type EventLevel,
  type EventMembers,
} from './event-table.js';
import { createOutages, type Outages } from './outages.js';
import { EVENT_CHANNEL } from './tracing.js';

/** Describes an event of a login, for logs and metrics. Its level is the name of a method of `console`, pino and winston. */
export interface ClinicianEvent extends EventMembers {
  name: ClinicianEventName;
  level: EventLevel;
  /** What has happened, in plain sentences for a log. */
  message: string;
  /** Milliseconds since the Unix epoch. */
  at: number;
  flow: FlowName;
}

/** Receives every event. Its exceptions and rejections are ignored: a log that fails does not fail a sign-in. */
export type ClinicianEventListener = (event: ClinicianEvent) => unknown;

/** @internal */
export interface Events {
  /** Emits an event with the level, message and remedy of its entry in the table of events, and of its error. */
  emit<Name extends ClinicianEventName>(name: Name, details?: EventDetails<Name>): void;
  /** Emits a Node process warning for the operator of the site, where the site has no event listener. */
  warn(error: { code: string; message: string; cause?: unknown }): void;
  /** Returns true for an error that an event has reported, or whose cause an event has reported. */
  hasReported(error: Error): boolean;
  /** Receives the results of calls of the service and the stores. */
  readonly outages: Outages;
}

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

/** In this time a failure with the same name and code has the level `debug`, and no second process warning. */
const MIN_REPEAT_MS = 60_000;
const MAX_FAILURES = 1000;
const MAX_KEY_LENGTH = 200;

export function createEvents(options: {
  clock: Clock;
  flow: FlowName;
  onEvent: ClinicianEventListener | undefined;
}): Events {
  const { clock, flow, onEvent } = options;
  const setting = process.env.DEBUG;
  const isRepeated = createRepetitions(clock);
  const reported = new WeakSet<object>();
  const isReported = (error: unknown) => typeof error === 'object' && error !== null && reported.has(error);
  const outages = createOutages({
    clock,
    onStart: (part, error, origin) => report('outage_started', { part, origin, error }),
    onEnd: (outage) => report('outage_ended', outage),
  });

  /** An outage has its own events: the failures that it explains are details, as are repeated ones. */
  function levelOf(name: ClinicianEventName, level: EventLevel, code: string | undefined): EventLevel {
    const isDetail = level === 'debug' || level === 'info' || code === undefined || name === 'outage_started';
    if (isDetail) return level;
    return outages.explains(code) || isRepeated(`${name} ${code}`) ? 'debug' : level;
  }

  function emit<Name extends ClinicianEventName>(name: Name, details?: EventDetails<Name>): void {
    const { error, ...members } = { ...details } as EventMembers & { error?: unknown };
    if (typeof error === 'object' && error !== null) reported.add(error);
    if (!onEvent && !setting && !EVENT_CHANNEL.hasSubscribers) return;
    const { level, message, ...failure } = describeEvent(name, { ...details });
    if (setting && isDebugEnabled(setting, `clinician:${name}`)) {
      // JSON escapes line breaks and control characters of an id.
      process.stderr.write(`clinician:${name} ${JSON.stringify({ flow, ...members, ...failure })}\n`);
    }
    const event: ClinicianEvent = {
      ...{ name, level: levelOf(name, level, failure.code), message, at: clock.now(), flow },
      ...{ ...members, ...failure },
    };
    // Each receiver has its own object: winston, for example, changes it.
    if (EVENT_CHANNEL.hasSubscribers) EVENT_CHANNEL.publish({ ...event });
    // Ignores exceptions and rejections alike: see ClinicianEventListener.
    new Promise((resolve) => resolve(onEvent?.(event))).catch(() => undefined);
  }

  /** Emits the event of an outage, and a process warning where the site has no event listener. */
  function report(name: 'outage_started' | 'outage_ended', details: EventDetails<typeof name>): void {
    emit(name, details);
    if (!onEvent) process.emitWarning(describeEvent(name, details).message, { type: 'ClinicianWarning', code: name });
  }

  return {
    outages,
    hasReported: (error) => isReported(error) || isReported(error.cause),
    emit,
    warn({ code, message, cause }) {
      // An exception of the site's own code is printed with its stack: an event contains only its code.
      const isOwn = code === 'site_error' && cause instanceof Error;
      if ((onEvent && !isOwn) || outages.explains(code)) return;
      if (isRepeated(isOwn ? `warning ${cause.message.slice(0, MAX_KEY_LENGTH)}` : `warning ${code}`)) return;
      process.emitWarning(message, {
        type: 'ClinicianWarning',
        code,
        ...(isOwn && { detail: cause.stack ?? cause.message }),
      });
    },
  };
}

/** @returns a function that returns true for a key that it has received in the last minute. */
function createRepetitions(clock: Clock): (key: string) => boolean {
  const reportedAt = new BoundedMap<string, number>(MAX_FAILURES);

  return (key) => {
    const elapsedMs = clock.now() - (reportedAt.get(key) ?? Number.NEGATIVE_INFINITY);
    // A time in the future is from before a change of the clock.
    if (elapsedMs >= 0 && elapsedMs < MIN_REPEAT_MS) return true;
    reportedAt.set(key, clock.now());
    return false;
  };
}

/** An event about each forged cookie would fill the log of the site. */
const UNKNOWN_SECRET_INTERVAL_MS = 10 * 60 * 1000;

/** @returns a function that reports sealed text of an unknown secret, at most once in ten minutes. */
export function createUnknownSecretReport(events: Events, clock: Clock): () => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const elapsedMs = clock.now() - reportedAt;
    // A time in the future is from before a change of the clock.
    if (elapsedMs >= 0 && elapsedMs < UNKNOWN_SECRET_INTERVAL_MS) return;
    reportedAt = clock.now();
    events.emit('secret_unknown');
    events.warn({ code: 'secret_unknown', message: WARNING_CODES.secret_unknown });
  };
}
