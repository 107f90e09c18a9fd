// What the sites that are measured have in common.
import { createServer } from 'node:http';
import express from 'express';
import session from 'express-session';
import { SECRET } from './key.mjs';

/** Listens before the site is created, which needs its own URL. @param create returns the Express app */
export async function listen(create) {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  server.on('request', await create(origin));
  return origin;
}

/** @returns an Express app with a session */
export function createApp() {
  const app = express();
  app.use(session({ secret: SECRET, resave: false, saveUninitialized: false }));
  return app;
}

/** Describes a site to the load generator. `/guarded` responds to signed-in users only. */
export function siteInfo(origin, { login, callback, provider }) {
  return {
    ...{ origin, provider },
    loginURL: `${origin}${login}`,
    callbackURL: `${origin}${callback}`,
    guardedURL: `${origin}/guarded`,
  };
}

export const respondSignedIn = (_req, res) => res.send('signed in');
