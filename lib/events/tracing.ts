import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel';
import { isClinicianError } from '../errors/errors.js';
import { codeOf } from './event-table.js';

/** The message of a tracing channel. It contains no token, code, verifier or secret. */
export interface ClinicianTrace {
  /** The last part of the channel's name, such as `sign-in`. */
  operation: TracedOperation;
  flow?: string | undefined;
  /** The grant type of a token request (RFC 6749), or the guard, such as `requireLogin`. */
  kind?: string | undefined;
  /** The duration in milliseconds. Present from `asyncStart`, or `end` of a guard that waited for nothing. */
  durationMs?: number | undefined;
  /** The code of the error, or of a guard's refusal. */
  code?: string | undefined;
  /** The error of a failed operation, without its cause. */
  error?: { name: string; message: string; code: string } | undefined;
}

const OPERATIONS = ['sign-in', 'token-request', 'refresh', 'profile-request', 'guard'] as const;

/** The operations with a tracing channel. */
export type TracedOperation = (typeof OPERATIONS)[number];

/** The channel of the events that `onEvent` receives. @internal */
export const EVENT_CHANNEL: Channel = channel('passport-clinician:event');

const CHANNELS = Object.fromEntries(
  OPERATIONS.map((operation) => [operation, tracingChannel<object, ClinicianTrace>(`passport-clinician:${operation}`)]),
) as Readonly<Record<TracedOperation, ReturnType<typeof tracingChannel<object, ClinicianTrace>>>>;

/**
 * Calls a function and publishes its start, its end and its error to the tracing channel of an operation, as
 * `TracingChannel.tracePromise()` does. That publishes results, and results contain tokens. Without a subscriber it only calls.
 * @param codeOfResult returns the code of a result that is a refusal
 * @internal
 */
export function trace<T>(
  operation: TracedOperation,
  details: Pick<ClinicianTrace, 'flow' | 'kind'>,
  call: () => T,
  codeOfResult?: (result: Awaited<T>) => string | undefined,
): T {
  const channels = CHANNELS[operation];
  if (!channels.hasSubscribers) return call();
  const message: ClinicianTrace = { operation, ...details };
  const startedAt = performance.now();

  function setResult(result: Awaited<T>): void {
    message.durationMs = performance.now() - startedAt;
    const code = codeOfResult?.(result);
    if (code !== undefined) message.code = code;
  }

  function setError(error: unknown): void {
    message.durationMs = performance.now() - startedAt;
    message.error = summaryOf(error);
    message.code = message.error.code;
    channels.error.publish(message as never);
  }

  function finishAsync(): void {
    channels.asyncStart.publish(message as never);
    channels.asyncEnd.publish(message as never);
  }

  return channels.start.runStores(message as never, () => {
    try {
      const result = call();
      if (!(result instanceof Promise)) {
        setResult(result as Awaited<T>);
        return result;
      }
      return result.then(
        (value: Awaited<T>) => {
          setResult(value);
          finishAsync();
          return value;
        },
        (error: unknown) => {
          setError(error);
          finishAsync();
          throw error;
        },
      ) as T;
    } catch (error) {
      setError(error);
      throw error;
    } finally {
      channels.end.publish(message as never);
    }
  });
}

/** An exception of the site's own code may contain anything: only its name is published. */
function summaryOf(error: unknown): NonNullable<ClinicianTrace['error']> {
  const code = codeOf(error);
  if (isClinicianError(error)) return { name: error.name, message: error.message, code };
  const name = error instanceof Error ? error.name : 'Error';
  return { name, message: "The site's own code threw an error.", code };
}
