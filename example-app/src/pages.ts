import type { Express, RequestHandler } from 'express';
import type { ClinicianLogin, FlowName } from 'passport-clinician';
import { addAccount } from './account.js';
import { sendProblem, signInRequired } from './error-pages.js';
import { photoURL, profileSections } from './profile-view.js';
import { ifAvailable, UserNames } from './service-data.js';
import type { Show, ShowPage } from './views.js';

interface Parts {
  clinician: ClinicianLogin;
  flow: FlowName;
  /** The scopes that this site requests, at the sign-in or on single pages. */
  offeredScope: readonly string[];
  /** The public URL of this site. */
  appURL: string;
  show: Show;
}

/** Prevents caching: the pages contain personal data. */
const noStore: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

export function addPages(app: Express, { clinician, flow, offeredScope, appURL, show }: Parts): void {
  const names = new UserNames(clinician);
  const showPage: ShowPage = async (req, res, view, data) => {
    // Read last: an error of the service is for the guards and the data of the page to show.
    res.locals.userName = await names.read(req);
    show(req, res, view, data);
  };

  app.use(noStore);

  app.get('/api/me', async (req, res) => {
    if (!req.clinician.isAuthenticated) return sendProblem(res, signInRequired());
    const { isAuthenticated, flow, scope } = req.clinician;
    const verified = (await clinician.verification(req)) === 'verified';
    res.json({ isAuthenticated, user: req.user, flow, scope, verified });
  });

  // For the pages of errors, which request nothing from the service.
  app.use((req, res, next) => {
    res.locals.userName = names.known(req);
    next();
  });

  app.get('/', async (req, res) => {
    const verification = req.clinician.isAuthenticated && (await ifAvailable(() => clinician.verification(req)));
    await showPage(req, res, 'home', { verification });
  });

  addScopePages(app, clinician, offeredScope, showPage);

  app.get('/share', clinician.requireLogin(), async (req, res) => {
    const url = new URL('/notes', appURL).href;
    const shareButton = clinician.shareButton({
      url,
      subject: 'Notes from the ward',
      message: 'You may find these notes useful.',
    });
    await showPage(req, res, 'share', { shareButton });
  });

  addAccount(app, { clinician, flow, showPage });
}

/** Adds the pages that need a scope. If this site does not request the scope, the page says so. */
function addScopePages(
  app: Express,
  clinician: ClinicianLogin,
  offeredScope: readonly string[],
  showPage: ShowPage,
): void {
  /** @param guard creates the guard, which throws if this site does not request the scope */
  function withScope(missing: string, guard: () => RequestHandler, page: RequestHandler): RequestHandler[] {
    if (offeredScope.includes(missing)) return [guard(), page];
    return [
      (req, res) => showPage(req, res, 'missing-scope', { title: 'Not requested', missing, scope: offeredScope }),
    ];
  }

  app.get(
    '/profile',
    withScope(
      'basic',
      () => clinician.requireScope('basic'),
      async (req, res) => {
        const profile = await clinician.api(req).profile();
        const mayReadEmail = req.clinician.scope.includes('email');
        await showPage(req, res, 'profile', { profile, photoURL, sections: profileSections(profile), mayReadEmail });
      },
    ),
  );

  app.get(
    '/notes',
    withScope(
      'basic',
      () => clinician.requireVerified(),
      (req, res) => showPage(req, res, 'notes'),
    ),
  );

  // Colleagues are shown and never stored.
  app.get(
    '/colleagues',
    withScope(
      'colleagues',
      () => clinician.requireScope('colleagues'),
      async (req, res) => {
        const requested = Number(req.query.page ?? 1);
        const number = Number.isSafeInteger(requested) && requested > 0 ? requested : 1;
        const page = await clinician.api(req).colleagues().page(number);
        await showPage(req, res, 'colleagues', { page });
      },
    ),
  );
}
