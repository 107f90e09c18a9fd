import type { ErrorRequestHandler } from 'express';
import supertest from 'supertest';
import { createFetch } from '../../lib/http/http.js';
import { type ClinicianEvent, type Fetch, isClinicianError } from '../../lib/index.js';
import type { FlowName, MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type Site, siteFor } from '../integration/site.js';

/** For all other requests, also on a slow machine: the mock provider generates an RSA key for some faults. */
const TIMEOUT_MS = 60_000;
const SHORT_TIMEOUT_MS = 1_000;

/** A site with a route for each API that a fault can reach, and a record of the errors that it reports. */
export interface FaultySite extends Site {
  agent: ReturnType<typeof supertest.agent>;
  /** @returns the error codes since the last call. */
  reported(): string[];
  /** Runs `act` with a short timeout for requests to one path. */
  withShortTimeout<T>(path: string | undefined, act: () => PromiseLike<T>): Promise<T>;
}

/** Configured as in the README: events are logged, pages are this package's, errors of routes are passed to Express. */
export function faultySiteFor(provider: MockProvider, flow: FlowName): FaultySite {
  const codes: string[] = [];
  const onEvent = ({ code }: ClinicianEvent) => void (code !== undefined && codes.push(code));
  const shortened = new Set<string>();
  const [normalFetch, shortFetch] = [createFetch({ timeout: TIMEOUT_MS }), createFetch({ timeout: SHORT_TIMEOUT_MS })];
  const fetch: Fetch = (url, init) => (shortened.has(new URL(url).pathname) ? shortFetch : normalFetch)(url, init);

  const site = siteFor(provider, { flow, clock: provider.clock, timeout: TIMEOUT_MS, fetch, onEvent });
  const { app, clinician } = site;
  app.get('/colleagues', clinician.requireLogin(), async (req, res) => {
    res.json((await clinician.api(req).colleagues().page(1)).items.length);
  });
  const sendError: ErrorRequestHandler = (error, _req, res, _next) => {
    if (!isClinicianError(error)) throw error;
    codes.push(error.code);
    res
      .status(error.status)
      .type('text')
      .send(error.retryable ? 'retryable' : 'not retryable');
  };
  app.use(sendError);

  return {
    ...site,
    agent: supertest.agent(app).set('Accept', 'text/html'),
    reported: () => [...new Set(codes.splice(0))],
    async withShortTimeout(path, act) {
      if (path !== undefined) shortened.add(path);
      try {
        return await act();
      } finally {
        shortened.clear();
      }
    },
  };
}
