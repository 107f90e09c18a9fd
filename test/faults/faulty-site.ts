import type { ErrorRequestHandler } from 'express';
import supertest from 'supertest';
import { createFetch } from '../../lib/http.js';
import { type ClinicianEvent, type Fetch, isClinicianError } from '../../lib/index.js';
import type { FlowName, MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type Site, siteFor } from '../integration/site.js';

const PATIENCE = 300;

/** A site with all that a fault can reach, and what it reported. */
export interface FaultySite extends Site {
  agent: ReturnType<typeof supertest.agent>;
  /** The codes that were reported since the last look. */
  reported(): string[];
  /** Does something during which the site does not wait for what is asked at this path. */
  impatiently<T>(path: string | undefined, act: () => PromiseLike<T>): Promise<T>;
}

/** Built as the README says: events go to a log, pages are this package's own, what routes throw goes to Express. */
export function faultySiteFor(provider: MockProvider, flow: FlowName): FaultySite {
  const codes: string[] = [];
  const onEvent = ({ code }: ClinicianEvent) => void (code !== undefined && codes.push(code));
  const impatient = new Set<string>();
  const [wait, doNotWait] = [createFetch(), createFetch({ timeout: PATIENCE })];
  const fetch: Fetch = (url, init) => (impatient.has(new URL(url).pathname) ? doNotWait : wait)(url, init);

  const site = siteFor(provider, { flow, clock: provider.clock, fetch, onEvent });
  const { app, clinician } = site;
  app.get('/colleagues', clinician.requireLogin(), async (req, res) => {
    res.json((await clinician.api(req).colleagues().page(1)).items.length);
  });
  const tell: ErrorRequestHandler = (error, _req, res, _next) => {
    if (!isClinicianError(error)) throw error;
    codes.push(error.code);
    res
      .status(error.status)
      .type('text')
      .send(error.retryable ? 'try again' : 'over');
  };
  app.use(tell);

  return {
    ...site,
    agent: supertest.agent(app).set('Accept', 'text/html'),
    reported: () => [...new Set(codes.splice(0))],
    async impatiently(path, act) {
      if (path !== undefined) impatient.add(path);
      try {
        return await act();
      } finally {
        impatient.clear();
      }
    },
  };
}
