import { RedisStore } from 'connect-redis';
import type { RequestHandler } from 'express';
import type { Store } from 'express-session';
import type { TokenStore } from 'passport-clinician';
import { RedisTokenStore } from 'passport-clinician/redis';
import { createClient } from 'redis';
import { BadConfig } from './config.js';

/** Where sessions and tokens are kept when this site runs as several processes. */
export interface Stores {
  sessions: Store;
  tokens: TokenStore;
  close(): void;
}

/** Connects once and for all: a Redis that goes away later is waited for, and meanwhile every question to it fails at once. */
export async function connectRedis(url: string): Promise<Stores> {
  const reconnectStrategy = (tries: number) => Math.min(50 * 2 ** Math.min(tries, 5), 1000);
  // Asked now and then, so that silence means that nobody is there: what waits for an answer then fails.
  const socket = { reconnectStrategy, socketTimeout: 3000 };
  const client = createClient({ url, disableOfflineQueue: true, pingInterval: 1000, socket });
  await new Promise<void>((resolve, reject) => {
    client.once('error', reject);
    client.connect().then(() => resolve(), reject);
  }).catch((error: unknown) => {
    client.destroy();
    throw new BadConfig(`REDIS_URL: Redis cannot be reached (${(error as NodeJS.ErrnoException).code ?? 'error'}).`);
  });
  client.on('error', ({ code }: NodeJS.ErrnoException) => console.error(`Redis: ${code ?? 'connection lost'}`));
  return {
    sessions: new RedisStore({ client, prefix: 'rounds:session:' }),
    tokens: new RedisTokenStore({ client, prefix: 'rounds:tokens:' }),
    close: () => client.destroy(),
  };
}

/** A session store that cannot be reached. */
class StoreDown extends Error {
  readonly status = 503;
}

/** Nobody is signed out by a store that is down: they are told to come back in a moment. */
export function patient(session: RequestHandler): RequestHandler {
  return function patientSession(req, res, next) {
    session(req, res, (error?: unknown) => {
      if (error) next(new StoreDown('The session store cannot be reached.', { cause: error }));
      else next();
    });
  };
}
