import connectPgSimple from 'connect-pg-simple';
import session from 'express-session';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { Pool } from 'pg';
import { logOutage } from './or-unavailable.mjs';

export const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 2000 });
pool.on('error', logOutage); // the pool opens another connection

export const tokenStore = new PostgresTokenStore({ pool });
await tokenStore.createTable(); // before the site accepts requests

const SessionStore = connectPgSimple(session);
export const sessionStore = new SessionStore({ pool, createTableIfMissing: true });
