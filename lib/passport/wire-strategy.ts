import { PendingWork } from '../async/work.js';
import { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { Events } from '../events/events.js';
import { resolveLook } from '../express/page-options.js';
import { SitePaths } from '../express/paths.js';
import { SavedFailure } from '../express/saved-failure.js';
import type { Site } from '../options/site.js';
import { RequestLimits } from '../resource-api/request-limits.js';
import { Cookies } from '../sealing/cookies.js';
import { Revocations } from '../session/revocations.js';
import { SiteSession } from '../session/site-session.js';
import { Visits } from '../session/visit.js';
import { Attempts } from '../sign-in/attempts.js';
import { Identification } from '../sign-in/identify.js';
import { instanceID } from '../token-vault/token-store.js';
import { VerifiedLogins } from './accept-by-verify.js';
import { PassportSignIn } from './passport-sign-in.js';
import { SiteTokens } from './site-tokens.js';
import { type ClinicianStrategyOptions, resolveStrategyOptions } from './strategy-options.js';
import type { VerifyFunction } from './verify.js';

/** Creates what a strategy without `clinicianLogin()` works with. */
export function wireStrategy(
  options: ClinicianStrategyOptions,
  verify: VerifyFunction,
): { site: Site; signIn: PassportSignIn; siteTokens: SiteTokens } {
  const resolved = resolveStrategyOptions(options, verify);
  const { site, client, fetch, secrets, profileRequired, onEvent, verification } = resolved;
  const { clock, flow, isDevelopment } = site;
  const look = resolveLook(resolved, site);
  const instance = instanceID(site);
  const events = new Events({ clock, flow, onEvent, isDevelopment });
  const work = new PendingWork();
  const limits = new RequestLimits({ clock });
  const onUnknownSecret = () => events.reportUnknownSecret();
  const cookies = new Cookies({ site, instance, secrets, onUnknownSecret });
  const server = new AuthorizationServer(client, fetch, work);
  const revocations = new Revocations({ server, events, work });
  // The site stores its users: no session contains a login of this instance.
  const noLogins = {
    hasEnded: () => false,
    known: new Map(),
    lastVerification: () => 'unknown' as const,
    scopeOf: () => [],
  };
  const visits = new Visits(site, instance, noLogins, events);
  const session = new SiteSession(instance, cookies);
  const tokens = { idToken: async () => undefined };
  const attempts = new Attempts({ site, server, cookies, tokens, events });
  const identification = new Identification({ site, profileRequired, fetch, events, limits });
  const paths = new SitePaths(site);
  const savedFailure = new SavedFailure(site, cookies);
  const logins = new VerifiedLogins({ verification, server, identification, session, revocations, events });
  const signIn = new PassportSignIn({ site, look, paths, visits, attempts, logins, savedFailure, events });
  return { site, signIn, siteTokens: new SiteTokens(server, revocations, identification) };
}
