import { isClinicianError, ServiceUnavailableError } from '../errors.js';
import { withTimeout } from '../with-timeout.js';

/** The methods of a client of the package `redis` that are used: `createClient()`, `createCluster()` and others have them. */
export interface RedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** False while there is no connection: then calls fail at once, instead of waiting in the client's queue. */
  readonly isReady?: boolean;
}

/** Runs one script, and always settles within the time limit. */
export type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/** An empty `typeMapping` makes replies strings, whatever type mapping the site has configured. */
interface CommandOptions {
  timeout: number;
  typeMapping: Record<string, never>;
}

type Configurable = RedisClient & { withCommandOptions?(options: CommandOptions): RedisClient };

/** @returns a function that runs scripts on a client, each within the time limit. */
export function boundedScripts(client: RedisClient, timeoutMs: number): RunScript {
  // With this option the client removes a command that is still in its queue after the time limit: it must not run later.
  const options = { timeout: timeoutMs, typeMapping: {} };
  const bounded = (client as Configurable).withCommandOptions?.(options) ?? client;

  return async function runScript(script, keys, args) {
    if (client.isReady === false) throw unavailable();
    try {
      return await withTimeout(timeoutMs, bounded.eval(script, { keys, arguments: args }));
    } catch (error) {
      throw isClinicianError(error) ? error : unavailable(error);
    }
  };
}

function unavailable(cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('token_store_unavailable', 'Redis cannot be reached. Retry later.', cause);
}
