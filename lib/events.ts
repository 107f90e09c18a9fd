import type { FlowName } from './authorization-server/flows.js';
import type { Clock } from './clock.js';

/** Lists the names of events. */
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

/** Holds the details of an event. They contain no token, code, verifier or secret. */
interface ClinicianEventDetails {
  /** The site's own id of the user; where the tokens belong to no user of the site, the ID Token's `sub`, if any. */
  userID?: string | undefined;
  /** The stable code of the error, where the event is a failure. */
  code?: string | undefined;
  /** The granted scope. */
  scope?: readonly string[] | undefined;
  /** The number of erased logins. */
  logins?: number | undefined;
}

/** Describes an event of a login, for logs and metrics. */
export interface ClinicianEvent extends ClinicianEventDetails {
  name: ClinicianEventName;
  /** Milliseconds since the Unix epoch. */
  at: number;
  flow: FlowName;
}

/** Receives every event. Its exceptions and rejections are ignored: a log that fails does not fail a sign-in. */
export type ClinicianEventListener = (event: ClinicianEvent) => unknown;

/** @internal */
export interface Events {
  emit(name: ClinicianEventName, details?: ClinicianEventDetails): void;
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
    emit(name, details = {}) {
      if (setting && isDebugEnabled(setting, `clinician:${name}`)) {
        // JSON escapes line breaks and control characters of an id.
        process.stderr.write(`clinician:${name} ${JSON.stringify({ flow, ...details })}\n`);
      }
      const event = { name, at: clock.now(), flow, ...details };
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

/** @returns the code of any error; `unknown` for text that is not a code. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'unknown';
}
