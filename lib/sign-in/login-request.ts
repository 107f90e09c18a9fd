import { type AuthorizationParameters, checkFlowSupports } from '../authorization-server/authorization-request.js';
import { flowOf, flows, parseScope, type Scope } from '../authorization-server/flows.js';
import { closestName } from '../errors/closest-name.js';
import { ERROR_CLASSES } from '../errors/error-codes.js';
import { ClinicianError, ConfigurationError, isClinicianError } from '../errors/errors.js';
import { defined } from '../http/json.js';
import { anything, failIf, problemOf } from '../options/option-table.js';
import { relyingPartyOptions } from '../options/options.js';
import type { Site } from '../options/site.js';
import { type OptionTable, oneOf, type Schema } from '../schema.js';
import { Secret } from '../sealing/sealer.js';

/** The options of one login: of `clinician.login()`, `passport.authenticate()`, the sign-in button and a link to the login route. */
export interface LoginOptions {
  /** A path of your site to return to, at most 250 characters. Other values, and this package's routes, become `/`. */
  returnTo?: string | undefined;
  /**
   * The scope to request, as an array or as one string separated by spaces. In a button and a link it is in addition to the default.
   * @default the site's own scope, and what the current login was granted
   */
  scope?: string | readonly string[] | undefined;
  /**
   * `none`, or one or more of `login` (requires the password again), `consent` (requires the approval again) and `create` (shows
   * the registration), separated by spaces (OIDC Core section 3.1.2.1).
   */
  prompt?: string | undefined;
  /**
   * How long ago the user may have signed in at the service, in milliseconds: sent as `max_age`, in whole seconds (OIDC Core). Not
   * in the `profile` flow, which has no ID Token to check it with.
   */
  maxAge?: number | undefined;
  /**
   * An earlier ID Token: the service fills in the sign-in name.
   * @default with `prompt: 'login'`, `prompt: 'none'` or `maxAge`, that of the signed-in user
   */
  idTokenHint?: Secret | string | undefined;
  /** How the service shows its pages (OIDC Core section 3.1.2.1). `popup` ends on a page that closes the popup. */
  display?: 'page' | 'popup' | undefined;
  /** The page that the service shows to a user without a session (spec, GET /oauth/authorize). Only in the `profile` flow. */
  type?: 'verify' | 'login' | undefined;
  /**
   * Your data, as JSON, that `onSignIn` receives as `state`: sealed in a cookie of the browser, never sent to the service.
   * Not in links and buttons. The page of a failed sign-in keeps it for ten minutes, if it fits into a cookie.
   */
  state?: unknown;
}

/**
 * Lists how a login is shown:
 * - the option `display`: with `page`, the window of the site is redirected to the service and back;
 * - `silent`: the window is redirected, and the service shows no page (`prompt=none`);
 * - `passport`: as `page`, and `passport.authenticate()` finishes it, not the routes of `clinicianLogin()`;
 * - any other: what finishes the attempt, which is no sign-in.
 */
export type SignInMode = string;

/** What the cookie of a login attempt contains in addition to the parameters of the protocol. @internal */
export interface AttemptState {
  mode: SignInMode;
  /** The option `state` of the login, or what the finisher of another mode needs. */
  siteState?: unknown;
  /** True for a login that neither a page of this site nor the address bar has started. */
  fromOtherSite?: boolean;
  /** The account that a login of `passport.authorize()` was started for: see `accountOf()`. */
  account?: string;
}

const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'create'];

function isPrompt(values: readonly string[]): boolean {
  return values.every((value) => PROMPTS.includes(value)) && (values.length === 1 || !values.includes('none'));
}

/** Defines the options of {@link LoginOptions}. @internal */
export const loginOptionRules: OptionTable<LoginOptions> = {
  // It may come from the request: a value that is not a path of this site becomes '/'.
  returnTo: anything,
  scope: relyingPartyOptions.scope,
  prompt: {
    type: "'none', or one or more of 'login', 'consent' and 'create', separated by spaces",
    isValid: (value) => typeof value === 'string' && isPrompt(parseScope(value)),
  },
  maxAge: {
    type: 'a number of milliseconds, 0 or more',
    isValid: (value) => typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER,
  },
  idTokenHint: { type: 'a string', isValid: (value) => typeof value === 'string' || value instanceof Secret },
  display: oneOf('page', 'popup'),
  type: oneOf('verify', 'login'),
  state: anything,
};

/**
 * Checks the options of a login, and additional parameters with the same names: the only check of these values.
 * @returns the parameters of its authorization request. Throws a {@link ConfigurationError} that names the option.
 */
export function authorizationParameters(
  options: LoginOptions,
  flow: Site['flow'],
  extra: Record<string, string> = {},
): AuthorizationParameters {
  for (const [name, rule] of Object.entries(loginOptionRules)) {
    for (const value of [options[name as keyof LoginOptions], extra[name]])
      failIf(name, problemOf(rule as Schema, value));
  }
  const { scope, prompt, maxAge, state: _, ...others } = options;
  const parameters = {
    ...defined(others),
    ...(scope !== undefined && { scope: parseScope(scope) }),
    ...(prompt !== undefined && { prompt: parseScope(prompt).join(' ') }),
    ...(maxAge !== undefined && { maxAge: Math.floor(maxAge / 1000) }),
    extra,
  };
  checkFlowSupports(flows[flow], parameters);
  return parameters;
}

/** @returns true for `prompt=none`. */
export function isSilent(prompt: string | undefined): boolean {
  return parseScope(prompt).includes('none');
}

export function modeOf({ prompt, display }: LoginOptions): SignInMode {
  if (isSilent(prompt)) return 'silent';
  return display ?? 'page';
}

/** The options of a link to the login route: a link is not a place for an ID Token. */
export type LinkOptions = Omit<LoginOptions, 'idTokenHint' | 'state'>;

const { idTokenHint: _, state: __, ...linkRules } = loginOptionRules;

/** Defines the options of {@link LinkOptions}. @internal */
export const linkOptionRules: OptionTable<LinkOptions> = linkRules;

const LINK_NAMES = Object.keys(linkRules) as (keyof LinkOptions)[];

/** The scopes of a site: those of every login, and those that a link may request in addition. @internal */
export type SiteScope = Pick<Site, 'flow' | 'apiURL' | 'scope' | 'optionalScope'>;

/** @returns the site's own scope, what the current login was granted, and what is added. */
export function nextScope(site: Omit<SiteScope, 'optionalScope'>, granted: Scope, added: Scope = []): Scope {
  const { knownScopes = granted } = flowOf(site);
  return parseScope([...site.scope, ...granted.filter((token) => knownScopes.includes(token)), ...added]);
}

function unofferedScope(requested: LinkOptions['scope'], { scope, optionalScope }: SiteScope): string | undefined {
  return parseScope(requested).find((token) => !scope.includes(token) && !optionalScope.includes(token));
}

/** @returns the query of a link to the login route, after its `returnTo`. Throws for an option that such a link cannot have. */
export function linkQuery(options: Omit<LinkOptions, 'returnTo'>, site: SiteScope): string {
  authorizationParameters(options, site.flow);
  const unoffered = unofferedScope(options.scope, site);
  if (unoffered !== undefined) {
    const phrase = `has '${unoffered}', which this site does not offer. Add it to option 'optionalScope' of clinicianLogin().`;
    failIf('scope', { phrase });
  }
  return Object.entries({ ...options, scope: parseScope(options.scope).join(' ') })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`)
    .join('');
}

/**
 * @returns what the sign-in must request for a scope, as the end of a query. Throws for a scope that the site does not request, and
 * no sign-in can: it would be missing after each one.
 * @param caller what needs the scope, for the message
 */
export function scopeQuery(scope: string, caller: string, site: SiteScope): string {
  if (site.optionalScope.includes(scope)) return linkQuery({ scope }, site);
  if (site.scope.includes(scope)) return '';
  const { knownScopes = [scope] } = flowOf(site);
  const reason = knownScopes.includes(scope)
    ? `and this site requests only '${site.scope.join(' ')}'. Add it: scope: '${[...site.scope, scope].join(' ')}', or list it in option 'optionalScope' (the service must have granted it to your client).`
    : `which the service does not have. The scopes are: ${knownScopes.join(', ')}.`;
  throw new ConfigurationError(
    'scope_not_requested',
    `passport-clinician: ${caller} needs scope '${scope}', ${reason}`,
  );
}

function linkInvalid(name: string, reason: string): ClinicianError {
  const message = `This link to the sign-in cannot be used: ${reason} Check its parameter '${name}'.`;
  return new ClinicianError(message, { code: 'login_link_invalid', ...ERROR_CLASSES.ClinicianError });
}

/** Throws for a misspelled parameter, also one with a path such as `next`. For development: {@link readLoginLink} ignores all unknown ones, such as `utm_source`. */
export function refuseMisspelledParameters(query: URLSearchParams): void {
  for (const [name, value] of query) {
    const closest = closestName(name, LINK_NAMES) ?? (/^\/(?!\/)/.test(value) ? 'returnTo' : name);
    if (closest !== name)
      throw linkInvalid(name, `it has an unknown parameter, which production ignores. Did you mean '${closest}'?`);
  }
}

export function linkReturnTo(query: URLSearchParams): string {
  const [value = '/', another] = query.getAll('returnTo');
  return another === undefined ? value : '/';
}

/**
 * Reads a link to the login route: unknown parameters are ignored, unknown values refused. Its scope is in addition to the site's
 * own: a link of another site cannot reduce what the site may do.
 * @param granted the scope of the current login, which a further one retains
 * @throws ClinicianError `login_link_invalid`
 */
export function readLoginLink(query: URLSearchParams, site: SiteScope, granted: Scope = []): LoginOptions {
  const texts: Partial<Record<string, string>> = {};
  for (const name of LINK_NAMES) {
    const [value, another] = query.getAll(name);
    if (another !== undefined && name !== 'returnTo') throw linkInvalid(name, 'it contains a parameter twice.');
    if (value) texts[name] = value;
  }
  const { returnTo: _, scope, maxAge, ...others } = texts;
  if (unofferedScope(scope, site)) throw linkInvalid('scope', 'this site does not offer one of its scopes.');
  const options = {
    ...others,
    ...(maxAge && { maxAge: /^\d+$/.test(maxAge) ? Number(maxAge) : maxAge }),
    ...(scope && { scope: nextScope(site, granted, parseScope(scope)) }),
  } as LoginOptions;
  try {
    authorizationParameters(options, site.flow);
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    throw linkInvalid((error as { option?: string }).option ?? '', error.message);
  }
  return { ...options, returnTo: linkReturnTo(query) };
}
