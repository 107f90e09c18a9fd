import type { FlowName } from './authorization-server/flows.js';
import type { Clock } from './clock.js';

/** What happened, in the field's words. */
export type ClinicianEventName =
  | 'sign_in_started'
  | 'signed_in'
  | 'sign_in_failed'
  | 'refreshed'
  | 'refresh_failed'
  | 'signed_out'
  | 'revoked'
  | 'revocation_failed'
  | 'erasure_failed'
  | 'request_failed'
  | 'forgotten';

/** What can be told about an event. Never a token, a code, a verifier or a secret. */
export interface ClinicianEventDetails {
  /** The site's own id of the user; for tokens that no user has yet, or any more, the ID Token's `sub` where there is one. */
  userID?: string | undefined;
  /** The error's stable code, where something failed. */
  code?: string | undefined;
  /** What was granted. */
  scope?: readonly string[] | undefined;
  /** How many logins were forgotten. */
  logins?: number | undefined;
}

/** Something that happened to a login, for a log or a count. */
export interface ClinicianEvent extends ClinicianEventDetails {
  name: ClinicianEventName;
  /** Milliseconds since the Unix epoch. */
  at: number;
  flow: FlowName;
}

/** Hears every event. What it throws is ignored: nobody's sign-in hangs on a log. */
export type EventListener = (event: ClinicianEvent) => unknown;

/** @internal */
export interface Events {
  emit(name: ClinicianEventName, details?: ClinicianEventDetails): void;
  /** Tells whoever runs the site of a fault, as Node tells of its own, where nobody listens to events. */
  warn(fault: { code: string; message: string; cause?: unknown }): void;
}

/** @returns whether `DEBUG` asks for a name, by the rules of the package `debug`: names by commas, `*` for the rest, `-` for not. */
export function debugAsksFor(setting: string | undefined, name: string): boolean {
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

export function createEvents(options: { clock: Clock; flow: FlowName; onEvent: EventListener | undefined }): Events {
  const { clock, flow, onEvent } = options;
  const setting = process.env.DEBUG;

  return {
    emit(name, details = {}) {
      if (setting && debugAsksFor(setting, `clinician:${name}`)) {
        // JSON keeps a log line one line, whatever is in an id.
        process.stderr.write(`clinician:${name} ${JSON.stringify({ flow, ...details })}\n`);
      }
      const event = { name, at: clock.now(), flow, ...details };
      // Whether it throws or rejects: see EventListener.
      new Promise((resolve) => resolve(onEvent?.(event))).catch(() => undefined);
    },
    warn({ code, message, cause }) {
      // The site's own error is told in full, and always: nobody else tells it.
      const own = code === 'site_error' && cause instanceof Error;
      if (onEvent && !own) return;
      process.emitWarning(message, {
        type: 'ClinicianWarning',
        code,
        ...(own && { detail: cause.stack ?? cause.message }),
      });
    },
  };
}

/** @returns the code of any error. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}
