import { inspect } from 'node:util';
import { type ClinicianEvent, isClinicianError } from 'passport-clinician';

type Level = 'info' | 'warn' | 'error';

const MIN_REPEAT_MS = 60_000;
const MAX_REPEATS = 100;

/** Prints one line: time, level, message and details. */
export function log(level: Level, message: string, details: object = {}): void {
  const text = Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
  console[level](`${new Date().toISOString()} ${level} ${message}${text}`);
}

/** Prints an event of passport-clinician. Repeated failures have the level `debug`, and are left out. */
export function logEvent({ level, message, name, at: _, flow: __, ...details }: ClinicianEvent): void {
  if (level !== 'debug') log(level, message, { event: name, ...details });
}

const reported = new Map<string, number>();

/** Prints an error of a request: at most once in a minute, so that requests that fail alike do not fill the log. */
export function logError(error: unknown): void {
  const level = isClinicianError(error) && error.retryable ? 'warn' : 'error';
  const text = isClinicianError(error) ? `${error.message} (${error.code}, see ${error.see})` : inspect(error);
  const key = text.slice(0, 500);
  if (Date.now() - (reported.get(key) ?? Number.NEGATIVE_INFINITY) < MIN_REPEAT_MS) return;
  if (reported.size >= MAX_REPEATS) reported.clear();
  reported.set(key, Date.now());
  log(level, `A request failed: ${text}`);
}

/** Prints one line when something stops responding, and one when it responds again. */
export interface OutageLog {
  failed(error: unknown): void;
  succeeded(): void;
}

/** An outage in which some calls succeed is one outage. */
const MIN_RECOVERY_MS = 10_000;

export function createOutageLog(part: string): OutageLog {
  let failures = 0;
  let startedAt = 0;
  let ending: NodeJS.Timeout | undefined;

  function end(durationMs: number): void {
    log('warn', `${part} responds again, after ${Math.ceil(durationMs / 1000)} s and ${failures} errors.`);
    failures = 0;
    ending = undefined;
  }

  return {
    failed(error) {
      clearTimeout(ending);
      ending = undefined;
      failures += 1;
      if (failures > 1) return;
      startedAt = Date.now();
      const { code, message } = (error ?? {}) as { code?: string; message?: string };
      const reason = code ?? message?.replace(/\.$/, '') ?? 'error';
      log('warn', `${part} does not respond (${reason}). Requests that need it get status 503.`);
    },
    succeeded() {
      if (failures === 0 || ending) return;
      const durationMs = Date.now() - startedAt;
      ending = setTimeout(() => end(durationMs), MIN_RECOVERY_MS).unref();
    },
  };
}
