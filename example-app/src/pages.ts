import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { type ClinicianLogin, type ClinicianProfile, isClinicianError } from 'passport-clinician';
import { sendProblem, signInRequired } from './error-pages.js';
import { curriculum } from './profile-view.js';
import type { Show } from './views.js';

interface Parts {
  clinician: ClinicianLogin;
  /** What this site asks clinicians for. */
  scope: readonly string[];
  /** Where browsers reach this site. */
  appURL: string;
  show: Show;
}

/** The id that this site knows its user by: the service's own. */
function userID(req: Request): string {
  return String((req.user as { id: unknown }).id);
}

/** Pages about a person are nobody else's to find in a cache. */
const noStore: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

export function addPages(app: Express, { clinician, scope, appURL, show }: Parts): void {
  /** A page that reads what a scope gives. Where this site never asks for it, the page says so. */
  function withScope(missing: string, guard: () => RequestHandler, page: RequestHandler): RequestHandler[] {
    if (scope.includes(missing)) return [guard(), page];
    return [(req, res) => show(req, res, 'missing-scope', { title: 'Not asked for', missing, scope })];
  }

  /** What changes something must come from a page of this site. */
  const ownForm: RequestHandler[] = [express.urlencoded({ extended: false }), clinician.requireSameOrigin()];

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
    withScope(
      'basic',
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
    withScope(
      'basic',
      () => clinician.requireVerified(),
      (req, res) => show(req, res, 'notes'),
    ),
  );

  // Shown, and gone: of colleagues nothing may be kept.
  app.get(
    '/colleagues',
    withScope(
      'colleagues',
      () => clinician.requireScope('colleagues'),
      async (req, res) => {
        const asked = Number(req.query.page ?? 1);
        const number = Number.isSafeInteger(asked) && asked > 0 ? asked : 1;
        const page = await clinician.api(req).colleagues().page(number);
        show(req, res, 'colleagues', { page });
      },
    ),
  );

  app.get('/share', clinician.requireLogin(), (req, res) => {
    const url = new URL('/notes', appURL).href;
    const shareButton = clinician.shareButton({ url, subject: 'Notes from the ward', message: 'Have a look at this.' });
    show(req, res, 'share', { shareButton });
  });

  app.get('/account', clinician.requireLogin(), async (req, res) => {
    const { identity, flow, scope } = req.clinician;
    const tokens = await clinician.grant(req).state();
    const verified = await clinician.verification(req);
    const kept = await clinician.profiles.get(userID(req));
    const about = { identity, flow, scope, verified, tokens, kept, mayKeep: scope.includes('basic') };
    show(req, res, 'account', { ...about, csrfToken: clinician.csrfToken(req) });
  });

  // A profile is kept only beside the person's own recorded words.
  app.post('/account/keep', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    // The agreement first: if the person is forgotten while the profile is read, there is none to keep it by.
    await clinician.profiles.recordAgreement(userID(req), 'Rounds may keep my profile for 30 days.');
    await clinician.profiles.save(userID(req), await clinician.api(req).profile());
    res.redirect(303, '/account');
  });

  app.post('/account/withdraw', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    await clinician.profiles.withdraw(userID(req));
    res.redirect(303, '/account');
  });

  app.post('/account/refresh', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    await clinician.grant(req).refresh();
    res.redirect(303, '/account');
  });

  // What is revoked ends this sign-in: the next page asks for a new one.
  app.post('/account/revoke', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    await clinician.grant(req).revoke();
    res.redirect(303, '/');
  });

  app.get('/api/me', async (req, res) => {
    if (!req.clinician.isAuthenticated) return sendProblem(res, signInRequired());
    const { isAuthenticated, flow, scope } = req.clinician;
    const verified = (await clinician.verification(req)) === 'verified';
    res.json({ isAuthenticated, user: req.user, flow, scope, verified });
  });
}
