// Replaces supertest in all tests but those of test/testing (jest.config.mjs). supertest listens on a new port for each request,
// which takes Linux 1 to 3 ms after 10,000 connections within a minute: a seventh of the time of tests that send many requests.
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll } from '@jest/globals';
import supertest from 'supertest/index.js';

type App = Parameters<typeof supertest>[0];
type Options = Parameters<typeof supertest>[1];

const servers = new Map<App, Server>();

/** Starts one server for each app. It stays open until the test file ends. */
function serverOf<T extends App | undefined>(app: T): T | Server {
  if (typeof app !== 'function') return app;
  const started = servers.get(app);
  if (started) return started;
  const server = createServer(app as RequestListener);
  server.keepAliveTimeout = 0; // no limit: a connection that is closed while a request is sent would fail the test
  server.listen(0);
  servers.set(app, server);
  return server;
}

afterAll(() => {
  for (const server of servers.values()) {
    server.close();
    server.closeAllConnections();
  }
});

const request: typeof supertest = Object.assign(
  (app: App, options?: Options) => supertest(serverOf(app), options),
  supertest,
  { agent: (app?: App, options?: Options) => supertest.agent(serverOf(app), options) },
);
export default request;
