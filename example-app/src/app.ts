import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import { type ClinicianLogin, clinicianLogin } from 'passport-clinician';
import type { Config } from './config.js';
import { errorPages, notFound } from './error-pages.js';
import { logEvent } from './log.js';
import { addPages } from './pages.js';
import type { Stores } from './redis.js';
import { withUnavailableStatus } from './session-store.js';
import { addSignIn } from './sign-in.js';
import { createViews } from './views.js';

/** The pages of passport-clinician have the look of this site: site.css styles both. */
const PAGES = { siteName: 'Rounds', logoURL: '/assets/icon.svg', stylesheet: '/assets/site.css' };
const publicFolder = fileURLToPath(new URL('../public', import.meta.url));

export interface Site {
  app: Express;
  clinician: ClinicianLogin;
}

interface SiteConfig extends Config {
  stores?: Stores | undefined;
  /** The clock of a mock provider in this process. */
  clock?: { now(): number } | undefined;
}

/** Creates the whole site. It does not listen yet. */
export function createSite(config: SiteConfig): Site {
  const { appURL, environment, sessionSecrets, sameSite, signInBy, flow, offeredScope, readyzDetails, stores, clock } =
    config;
  const clinician = clinicianLogin.fromEnv(
    { pages: PAGES, onEvent: logEvent, ...(clock && { clock }), ...(stores && { tokenStore: stores.tokens }) },
    environment,
  );
  const show = createViews(clinician);
  const app = express();

  app.use(helmet(allowPhotos(clinician.helmet())));
  app.use(redirectToCallbackHost(appURL));
  // Before the session: they respond while its store fails.
  app.get('/healthz', (_req, res) => void res.json({ ok: true }));
  app.get('/readyz', async (_req, res) => {
    const health = await clinician.health();
    // A load balancer needs the status. The rest would tell an attacker what fails, and since when.
    res.status(health.ok ? 200 : 503).json(readyzDetails ? health : { ok: health.ok });
  });
  app.get('/favicon.ico', (_req, res) => res.redirect(301, '/assets/icon.svg'));
  app.use('/assets', express.static(publicFolder, { maxAge: '1h' }));

  const secure = appURL.startsWith('https:');
  app.use(
    withUnavailableStatus(
      session({
        // With the prefix, browsers accept the cookie only from this host, and only over https.
        name: secure ? '__Host-rounds.session' : 'rounds.session',
        secret: [...sessionSecrets],
        // During a rotation each response sets the cookie again, so that the first secret signs it.
        rolling: sessionSecrets.length > 1,
        resave: false,
        saveUninitialized: false,
        proxy: secure, // this process uses plain http: with an https URL there is a proxy in front of it
        cookie: { httpOnly: true, sameSite, secure },
        ...(stores && { store: stores.sessions }),
      }),
      stores?.outages,
    ),
  );
  addSignIn(app, clinician, signInBy, show);

  addPages(app, { clinician, flow, offeredScope, appURL, show });
  app.use(notFound(show));
  app.use(errorPages(show));
  return { app, clinician };
}

/** Allows images from any https host: the photo of a profile can be on any. */
function allowPhotos<Policy extends { contentSecurityPolicy: { directives: Record<string, string[] | null> } }>(
  policy: Policy,
): Policy {
  policy.contentSecurityPolicy.directives['img-src'] = ["'self'", 'data:', 'https:'];
  return policy;
}

/** Redirects `localhost` to the host name of the callback, because browsers store cookies separately for each host name. */
function redirectToCallbackHost(appURL: string): express.RequestHandler {
  const here = new URL(appURL);
  return function redirectToCallbackHost(req, res, next) {
    if (here.hostname === '127.0.0.1' && req.hostname === 'localhost' && req.originalUrl.startsWith('/')) {
      res.redirect(new URL(req.originalUrl.replace(/^[\\/]+/, '/'), here).href);
    } else {
      next();
    }
  };
}
