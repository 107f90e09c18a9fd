import { RedisStore } from 'connect-redis';
import { RedisTokenStore } from 'passport-clinician/redis';
import { createClient } from 'redis';

export const client = createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true });
client.on('error', (error) => console.error(error.message));
await client.connect(); // before the site accepts requests

export const sessionStore = new RedisStore({ client });
export const tokenStore = new RedisTokenStore({ client });
