import { isClinicianError, ServiceUnavailableError } from '../errors.js';

/** The part of a client of the package `redis` that is used: `createClient()`, `createCluster()` and the others all have it. */
export interface RedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** False while there is no connection: then nothing is asked, instead of being put into a queue. */
  readonly isReady?: boolean;
}

/** Runs one script, and always comes to an end. */
export type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/** `typeMapping` of nothing: replies are text, whatever the site has told its client. */
interface CommandOptions {
  timeout: number;
  typeMapping: Record<string, never>;
}

type Configurable = RedisClient & { withCommandOptions?(options: CommandOptions): RedisClient };

/** @returns what runs scripts on a client, each within the time limit (in milliseconds). */
export function boundedScripts(client: RedisClient, timeout: number): RunScript {
  // Where a command is still in the client's queue when its time is up, the client can take it out again: it must not be
  // carried out later, when nobody waits for it any more.
  const bounded = (client as Configurable).withCommandOptions?.({ timeout, typeMapping: {} }) ?? client;

  return async function runScript(script, keys, args) {
    if (client.isReady === false) throw unavailable('There is no connection to Redis.');
    try {
      return await within(timeout, bounded.eval(script, { keys, arguments: args }));
    } catch (error) {
      throw isClinicianError(error) ? error : unavailable('Redis cannot be reached.', error);
    }
  };
}

async function within<R>(timeout: number, answer: Promise<R>): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(`Redis did not answer within ${timeout} ms.`)), timeout);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(message: string, cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('token_store_unavailable', message, cause);
}
