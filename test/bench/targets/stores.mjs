import session from 'express-session';
import { importPackage } from '../package-entry.mjs';

/**
 * Connects to the database that several processes share, if there is one.
 * @returns the store of the sessions, undefined for that of express-session, and the store of the tokens
 */
export async function openStores({ redis, postgres }) {
  if (redis) return await openRedis(redis);
  if (postgres) return await openPostgres(postgres);
  const { MemoryTokenStore } = await importPackage();
  return { sessionStore: undefined, tokenStore: new MemoryTokenStore() };
}

async function openRedis({ url }) {
  const [{ createClient }, { RedisStore }] = await Promise.all([import('redis'), import('connect-redis')]);
  const { RedisTokenStore } = await importPackage('./redis');
  const client = await createClient({ url }).connect();
  return { sessionStore: new RedisStore({ client }), tokenStore: new RedisTokenStore({ client }) };
}

async function openPostgres({ url }) {
  const [{ Pool }, { default: connectPgSimple }] = await Promise.all([import('pg'), import('connect-pg-simple')]);
  const { PostgresTokenStore } = await importPackage('./postgres');
  const pool = new Pool({ connectionString: url });
  const tokenStore = new PostgresTokenStore({ pool });
  await tokenStore.createTable();
  const SessionStore = connectPgSimple(session);
  return { sessionStore: new SessionStore({ pool, createTableIfMissing: true }), tokenStore };
}
