import express, { type Express } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import { type ClinicianLogin, clinicianLogin } from '../../lib/index.js';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';
import { listen } from './harness.js';

/** A site with pages of a test. */
export interface OwnSite {
  origin: string;
  /** The requests: method and path with its query. */
  requests: string[];
  stop(): void;
}

/** Starts a small site with helmet, except for `Cross-Origin-Opener-Policy`, which hides windows from each other. */
export async function startOwnSite(
  provider: MockProvider,
  addRoutes: (app: Express, clinician: ClinicianLogin) => void,
): Promise<OwnSite> {
  const requests: string[] = [];
  const server = await listen((origin) => {
    const clinician = clinicianLogin(loginOptions(provider, { callbackURL: `${origin}/auth/callback` }));
    const { contentSecurityPolicy, ...others } = clinician.helmet();
    const directives = { ...contentSecurityPolicy.directives, 'frame-src': ['*'] };
    const app = express();
    app.use(helmet({ ...others, contentSecurityPolicy: { directives }, crossOriginOpenerPolicy: false }));
    app.use((req, _res, next) => {
      requests.push(`${req.method} ${req.url}`);
      next();
    });
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
    app.get('/', (req, res) => void res.send(req.clinician.isAuthenticated ? 'in' : 'out'));
    addRoutes(app, clinician);
    return app;
  });
  return { ...server, requests };
}
