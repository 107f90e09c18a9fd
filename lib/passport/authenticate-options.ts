import type { TokenSet } from '../authorization-server/token-set.js';
import { closestName } from '../errors/closest-name.js';
import { defined } from '../http/json.js';
import { optionError } from '../options/option-table.js';
import type { Visit } from '../session/visit.js';
import { type LoginOptions, loginOptionRules } from '../sign-in/login-request.js';
import type { SignInPurpose } from '../sign-in/site-user.js';
import type { PassportStrategy } from './oauth2-strategy.js';
import type { PassportProfile } from './passport-profile.js';

/** The options of a login that Passport's own options do not have. */
type ClinicianAuthenticateOptions = Omit<LoginOptions, 'scope' | 'prompt' | 'state'>;

/**
 * The options of `passport.authenticate('clinician', { ... })`: those of {@link LoginOptions}, and Passport's own. `state`
 * is the site's own data: sealed in the browser during the login, never sent to the service, `req.authInfo.state` after it.
 */
export interface AuthenticateOptions extends ClinicianAuthenticateOptions {
  session?: boolean | undefined;
  authInfo?: boolean | undefined;
  assignProperty?: string | undefined;
  failureFlash?: string | boolean | undefined;
  failureMessage?: string | boolean | undefined;
  failureRedirect?: string | undefined;
  failWithError?: boolean | undefined;
  keepSessionInfo?: boolean | undefined;
  successFlash?: string | boolean | undefined;
  successMessage?: string | boolean | undefined;
  successRedirect?: string | undefined;
  successReturnToOrRedirect?: string | undefined;
  state?: string | undefined;
  scope?: string | string[] | undefined;
  prompt?: string | undefined;
}

// biome-ignore lint/suspicious/noTsIgnore: a site without Passport has no such module. The compiler copies a block comment.
/** @ts-ignore */
declare module 'passport' {
  // `passport.authenticate()` accepts them without a cast.
  interface AuthenticateOptions extends ClinicianAuthenticateOptions {}
}

declare global {
  namespace Express {
    interface AuthInfo {
      /** The option `state` of the login. */
      state?: unknown;
      /** The option `returnTo` of the login. */
      returnTo?: string;
      /** Of `clinician.strategy`: the argument of `clinician.grantOf()`. */
      grantID?: string;
    }
  }
}

/** A request of `passport.authenticate()`. @internal */
export interface PassportRequest {
  visit: Visit;
  options: AuthenticateOptions;
  strategy: PassportStrategy;
  /** Absent if the profile is read as the drop-in reads it. */
  loadProfile: ((tokens: TokenSet) => Promise<PassportProfile>) | undefined;
}

const NAMES = Object.keys(loginOptionRules);
/** Too many words are within two letters of the shorter names. */
const LONG_NAMES = NAMES.filter((name) => name.length > 4);

/** Throws for an option whose name is close to one of this package's. Any other may be Passport's, or the site's own. @internal */
export function refuseMisspelledOptions(options: object): void {
  for (const name of Object.keys(options)) {
    if (NAMES.includes(name)) continue;
    const closest = closestName(name.replaceAll(/[^a-z]/gi, ''), LONG_NAMES);
    if (closest === undefined) continue;
    throw optionError(closest, `passport.authenticate() has no option '${name}'. Did you mean '${closest}'?`);
  }
}

/** @returns what the login of this call is for: `passport.authorize()` sets `assignProperty`. @internal */
export function purposeOf({ session, assignProperty }: AuthenticateOptions): SignInPurpose {
  if (assignProperty) return 'link';
  return session === false ? 'tokens' : 'session';
}

/** @returns the options of the login, without Passport's own. @internal */
export function loginOptionsIn(options: AuthenticateOptions): LoginOptions {
  const { returnTo, scope, prompt, maxAge, idTokenHint, display, type } = options;
  return defined({ returnTo, scope, prompt, maxAge, idTokenHint, display, type });
}
