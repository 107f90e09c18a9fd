// One site process of the fault journeys: the built package on Redis or PostgreSQL. Its parent controls the clock and receives the events.
import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session from 'express-session';
import { clinicianLogin, isClinicianError } from 'passport-clinician';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { Pool } from 'pg';
import { connectRedis } from '../../example-app/build/redis.js';
import { withUnavailableStatus } from '../../example-app/build/session-store.js';

const { port, databaseURL, offset, options } = JSON.parse(process.env.SITE);
let clockOffset = offset;
const send = (message) => void (process.connected && process.send(message));
process.on('message', (message) => {
  if (message.offset !== undefined) clockOffset = message.offset;
  send({ done: message.number });
});
process.on('disconnect', () => process.exit());

function connectPostgres() {
  const pool = new Pool({ connectionString: databaseURL, connectionTimeoutMillis: 2000 });
  pool.on('error', () => undefined);
  const SessionStore = connectPgSimple(session);
  return {
    sessions: new SessionStore({ pool, errorLog: () => undefined }),
    tokens: new PostgresTokenStore({ pool }),
  };
}

const isRedis = databaseURL.startsWith('redis:');
const stores = isRedis ? await connectRedis([new URL(databaseURL)]) : connectPostgres();
const clinician = clinicianLogin({
  ...options,
  clock: { now: () => Date.now() + clockOffset },
  tokenStore: stores.tokens,
  onEvent: (event) => send({ event }),
});
const app = express();
app.get('/ready', (_req, res) => {
  void stores.sessions.get('none', (error) => void res.status(error ? 503 : 200).end());
});
app.use(
  withUnavailableStatus(
    session({ store: stores.sessions, secret: options.secret, resave: false, saveUninitialized: false }),
  ),
);
app.use(clinician);
app.get('/', (_req, res) => void res.send('home'));
app.get('/me', (req, res) => void res.json({ id: req.clinician.identity?.id ?? null }));
app.get('/profile', clinician.requireLogin(), async (req, res) => {
  const { id } = await clinician.api(req).profile();
  res.json({ id: String(id) });
});
app.use((error, _req, res, next) => {
  if (res.headersSent) next(error);
  else res.status(error.status ?? 500).json({ code: isClinicianError(error) ? error.code : 'unexpected' });
});
const server = app.listen(port, '127.0.0.1', () => send({ listening: true }));
// The parent could send a request while an idle connection is closed.
server.keepAliveTimeout = 10 * 60 * 1000;
