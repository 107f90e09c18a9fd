import { promisify } from 'node:util';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { ClinicianLogin, FlowName } from 'passport-clinician';
import { sendProblem, signInRequired } from './error-pages.js';
import { setNotice } from './notice.js';
import { photoURL, profileSections } from './profile-view.js';
import { ifAvailable, UserNames } from './service-data.js';
import { formatTime, type Show } from './views.js';

interface Parts {
  clinician: ClinicianLogin;
  flow: FlowName;
  /** The scopes that this site requests, at the sign-in or on single pages. */
  offeredScope: readonly string[];
  /** The public URL of this site. */
  appURL: string;
  show: Show;
}

const FIVE_MINUTES_MS = 5 * 60 * 1000;

/** Returns the site's own id of the user, which is the service's id. */
function userID(req: Request): string {
  return String((req.user as { id: unknown }).id);
}

/** Prevents caching: the pages contain personal data. */
const noStore: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

export function addPages(app: Express, { clinician, flow, offeredScope, appURL, show }: Parts): void {
  const names = new UserNames(clinician);
  /** Reads the name after the guards and the data of the page: an error of the service is theirs to show. */
  async function showPage(req: Request, res: Response, view: string, data?: object): Promise<void> {
    res.locals.userName = await names.read(req);
    show(req, res, view, data);
  }

  /** Creates the handlers of a page that needs a scope. Where this site does not request the scope, the page says so. */
  function withScope(missing: string, guard: () => RequestHandler, page: RequestHandler): RequestHandler[] {
    if (offeredScope.includes(missing)) return [guard(), page];
    return [
      (req, res) => showPage(req, res, 'missing-scope', { title: 'Not requested', missing, scope: offeredScope }),
    ];
  }

  /** Rejects requests from other sites: these routes change data. */
  const ownForm: RequestHandler[] = [express.urlencoded({ extended: false }), clinician.requireSameOrigin()];

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

  app.get('/share', clinician.requireLogin(), async (req, res) => {
    const url = new URL('/notes', appURL).href;
    const shareButton = clinician.shareButton({
      url,
      subject: 'Notes from the ward',
      message: 'You may find these notes useful.',
    });
    await showPage(req, res, 'share', { shareButton });
  });

  app.get('/account', clinician.requireLogin(), async (req, res) => {
    const { identity, flow, scope } = req.clinician;
    const rateLimit = await ifAvailable(() => clinician.api(req).rateLimit());
    const tokens = await clinician.grant(req).state();
    const verification = await clinician.verification(req);
    const stored = await clinician.profiles.get(userID(req));
    const about = { identity, flow, scope, verification, tokens, rateLimit, stored, mayStore: scope.includes('basic') };
    await showPage(req, res, 'account', about);
  });

  // A profile is stored only with the user's recorded agreement.
  app.post('/account/agree', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    // The agreement is recorded first: if the user is forgotten while the profile is read, it is deleted, and save() stores nothing.
    await clinician.profiles.recordAgreement(userID(req), 'Rounds may store my profile for 30 days.');
    await clinician.profiles.save(userID(req), await clinician.api(req).profile());
    res.redirect(303, '/account');
  });

  app.post('/account/withdraw', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    await clinician.profiles.withdraw(userID(req));
    res.redirect(303, '/account');
  });

  app.post('/account/refresh', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    await clinician.grant(req).refresh();
    const tokens = await clinician.grant(req).state();
    if (tokens) {
      setNotice(req, `The access token was refreshed. The new one is valid until ${formatTime(tokens.expiresAt)}.`);
    }
    res.redirect(303, '/account');
  });

  // Signs in again with the password, and returns to the account.
  app.post('/account/confirm', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    await clinician.login(req, res, { prompt: 'login', returnTo: '/account' });
  });

  // The copy of the data needs a recent sign-in. Only the `openid` flow can prove the time of a sign-in.
  const recentLogin =
    flow === 'openid' ? clinician.requireRecentLogin({ maxAge: FIVE_MINUTES_MS }) : clinician.requireLogin();
  app.get('/account/data', recentLogin, async (req, res) => {
    res.attachment('rounds.json').json({ id: userID(req), ...(await clinician.profiles.get(userID(req))) });
  });

  // Revoked tokens end this sign-in: the next page requires a new one.
  app.post('/account/revoke', clinician.requireLogin(), ownForm, async (req: Request, res: Response) => {
    await clinician.grant(req).revoke();
    await promisify(req.session.regenerate).call(req.session);
    setNotice(req, 'Your tokens were revoked. You are signed out.');
    res.redirect(303, '/');
  });
}
