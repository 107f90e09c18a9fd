import { configMessage, readConfig } from './config.js';
import type { Stores } from './redis.js';
import { exitOnSignal } from './shutdown.js';
import { startSite } from './start.js';

/** Loads the package `redis` only if the site uses Redis: it would take a third of the time of a start. */
async function connectStores(redisURLs: readonly URL[]): Promise<Stores> {
  const { connectRedis } = await import('./redis.js');
  return await connectRedis(redisURLs);
}

try {
  const config = readConfig(process.env);
  const { message, close } = await startSite(config, config.redisURLs && (await connectStores(config.redisURLs)));
  exitOnSignal(close);
  console.log(message);
} catch (error) {
  console.error(configMessage(error) ?? error);
  process.exitCode = 1;
}
