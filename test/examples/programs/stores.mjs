import { RedisStore } from 'connect-redis';
import { RedisTokenStore } from 'passport-clinician/redis';
import { createClient } from 'redis';
import { logOutage } from './or-unavailable.mjs';

export const client = createClient({
  url: process.env.REDIS_URL, // rediss:// for TLS
  disableOfflineQueue: true,
  pingInterval: 1000,
  socket: { socketTimeout: 3000, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 1000) },
});
client.on('error', logOutage);
await client.connect(); // before the site accepts requests

export const sessionStore = new RedisStore({ client });
export const tokenStore = new RedisTokenStore({ client });
