import type { FlowName } from './authorization-server/flows.js';
import type { Clock } from './clock.js';
import {
  type ClinicianEventName,
  describeEvent,
  type EventDetails,
  type EventLevel,
  type EventMembers,
} from './event-table.js';

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

export function createEvents(options: {
  clock: Clock;
  flow: FlowName;
  onEvent: ClinicianEventListener | undefined;
}): Events {
  const { clock, flow, onEvent } = options;
  const setting = process.env.DEBUG;

  return {
    emit(name, details) {
      const { error: _, ...members } = { ...details } as EventMembers & { error?: unknown };
      const { level, message, ...failure } = describeEvent(name, { ...details });
      if (setting && isDebugEnabled(setting, `clinician:${name}`)) {
        // JSON escapes line breaks and control characters of an id.
        process.stderr.write(`clinician:${name} ${JSON.stringify({ flow, ...members, ...failure })}\n`);
      }
      const event: ClinicianEvent = { name, level, message, at: clock.now(), flow, ...members, ...failure };
      // Ignores exceptions and rejections alike: see ClinicianEventListener.
      new Promise((resolve) => resolve(onEvent?.(event))).catch(() => undefined);
    },
    warn({ code, message, cause }) {
      // An exception of the site's own code is always printed, with its stack: an event contains only its code.
      const isOwn = code === 'site_error' && cause instanceof Error;
      if (onEvent && !isOwn) return;
      process.emitWarning(message, {
        type: 'ClinicianWarning',
        code,
        ...(isOwn && { detail: cause.stack ?? cause.message }),
      });
    },
  };
}
