import { RedisStore } from 'connect-redis';
import type { RequestHandler } from 'express';
import type { Store } from 'express-session';
import type { TokenStore } from 'passport-clinician';
import { RedisTokenStore } from 'passport-clinician/redis';
import { createClient } from 'redis';
import { InvalidConfig } from './config.js';

/** Holds the stores of sessions and tokens when this site runs as several processes. */
export interface Stores {
  sessions: Store;
  tokens: TokenStore;
  close(): void;
}

/** Connects to Redis. A lost connection is restored, and commands fail immediately until then. */
export async function connectRedis(url: string): Promise<Stores> {
  const reconnectStrategy = (tries: number) => Math.min(50 * 2 ** Math.min(tries, 5), 1000);
  // With pings, a connection without traffic is lost: commands that wait for a response then fail.
  const socket = { reconnectStrategy, socketTimeout: 3000 };
  const client = createClient({ url, disableOfflineQueue: true, pingInterval: 1000, socket });
  await new Promise<void>((resolve, reject) => {
    client.once('error', reject);
    client.connect().then(() => resolve(), reject);
  }).catch((error: unknown) => {
    client.destroy();
    throw new InvalidConfig(
      `REDIS_URL: cannot connect to Redis (${(error as NodeJS.ErrnoException).code ?? 'error'}).`,
    );
  });
  client.on('error', ({ code }: NodeJS.ErrnoException) => console.error(`Redis: ${code ?? 'connection lost'}`));
  return {
    sessions: new RedisStore({ client, prefix: 'rounds:session:' }),
    tokens: new RedisTokenStore({ client, prefix: 'rounds:tokens:' }),
    close: () => client.destroy(),
  };
}

/** Reports that the session store is unavailable: Express responds with its status. */
class SessionStoreUnavailable extends Error {
  readonly status = 503;
}

/** Responds 503 while the session store is unavailable, so that its users stay signed in. */
export function withUnavailableStatus(session: RequestHandler): RequestHandler {
  return function sessionOrUnavailable(req, res, next) {
    session(req, res, (error?: unknown) => {
      if (error) next(new SessionStoreUnavailable('The session store is unavailable.', { cause: error }));
      else next();
    });
  };
}
