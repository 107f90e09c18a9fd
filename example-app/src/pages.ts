import type { Express, Request, RequestHandler } from 'express';
import { type ClinicianLogin, type ClinicianProfile, isClinicianError } from 'passport-clinician';
import { sendProblem, signInRequired } from './answers.js';
import { curriculum } from './curriculum.js';
import type { Show } from './views.js';

interface Parts {
  clinician: ClinicianLogin;
  /** What this site asks clinicians for. */
  scope: readonly string[];
  show: Show;
}

/** Pages about a person are nobody else's to find in a cache. */
const noStore: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

export function addPages(app: Express, { clinician, scope, show }: Parts): void {
  /** A page that reads what `basic` gives. Where this site never asks for it, the page says so. */
  function withBasic(guard: () => RequestHandler, page: RequestHandler): RequestHandler[] {
    if (scope.includes('basic')) return [guard(), page];
    return [(req, res) => show(req, res, 'missing-scope', { title: 'Not asked for', missing: 'basic', scope })];
  }

  /** For a greeting only, so the front page opens without the service, too. */
  async function profileIfAny(req: Request): Promise<ClinicianProfile | undefined> {
    if (!req.clinician.scope.includes('basic')) return undefined;
    try {
      return await clinician.api(req).profile();
    } catch (error) {
      if (isClinicianError(error)) return undefined;
      throw error;
    }
  }

  app.use(noStore);

  app.get('/', async (req, res) => {
    show(req, res, 'home', { identity: req.clinician.identity, profile: await profileIfAny(req) });
  });

  app.get(
    '/profile',
    withBasic(
      () => clinician.requireScope('basic'),
      async (req, res) => {
        const profile = await clinician.api(req).profile();
        const mayReadEmail = req.clinician.scope.includes('email');
        show(req, res, 'profile', { profile, sections: curriculum(profile), mayReadEmail });
      },
    ),
  );

  app.get(
    '/notes',
    withBasic(
      () => clinician.requireVerified(),
      (req, res) => show(req, res, 'notes'),
    ),
  );

  app.get('/account', clinician.requireLogin(), async (req, res) => {
    const { identity, flow, scope } = req.clinician;
    const verified = await clinician.verification(req);
    show(req, res, 'account', { identity, flow, scope, verified, csrfToken: clinician.csrfToken(req) });
  });

  app.get('/api/me', async (req, res) => {
    const { isAuthenticated, flow, scope } = req.clinician;
    if (!isAuthenticated) return sendProblem(res, signInRequired());
    res.json({ isAuthenticated, user: req.user, flow, scope, verified: await clinician.verification(req) });
  });
}
