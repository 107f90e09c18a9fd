import type { ClinicianEventListener } from '../events/events.js';
import type { PageLook } from '../html/page.js';
import { checkOptions, func, objectType } from '../options/option-table.js';
import { type RelyingPartyOptions, relyingPartyOptions, secureURLProblem } from '../options/options.js';
import { type ResolvedOptions, resolveOptions } from '../options/resolve-options.js';
import { basePathProblem, type Routes } from '../options/routes.js';
import type { Site } from '../options/site.js';
import { type OptionTable, type Schema, text } from '../schema.js';
import type { OnSignIn } from '../sign-in/site-user.js';
import { MemoryTokenStore } from '../token-vault/memory-token-store.js';
import { type TokenStore, tokenStoreRule } from '../token-vault/token-store.js';
import type { ErrorHandler, ExpressRequest } from './http-types.js';
import { type PagesOptions, resolveLook, type Texts } from './page-options.js';

/** The options of `clinicianLogin()`. `User` is the type of the site's own users, which `onSignIn` returns. */
export interface ClinicianLoginOptions<User extends object = object> extends RelyingPartyOptions {
  /**
   * Your name, logo and style sheet on the pages of this package: `{ siteName, logoURL, stylesheet }`.
   * @default the host of `callbackURL` as the name
   */
  pages?: PagesOptions | undefined;
  /**
   * Your texts of the pages and buttons, such as `{ lang: 'de', signIn: 'Als Arzt anmelden' }`. Texts of the service and of
   * `deny()` stay as they are.
   * @default English texts
   */
  texts?: Texts | undefined;
  /**
   * Scopes that only some pages need, as an array or as one string separated by spaces. `clinician.login()`, a sign-in button,
   * or the page of `requireScope()` requests them.
   * @default []
   */
  optionalScope?: string | readonly string[] | undefined;
  /** Stores the sealed tokens. Several processes need a store that they share. @default a new MemoryTokenStore */
  tokenStore?: TokenStore | undefined;
  /**
   * Maps the clinician who signed in to your own user (an object, which the session saves as `req.user`), or denies the sign-in
   * with `deny(reason)`.
   * @default `({ identity }) => ({ id: identity.id })`
   */
  onSignIn?: OnSignIn<ExpressRequest, User> | undefined;
  /**
   * Ends a login that no request has used for this time, in milliseconds (at least 60_000), up to 5 % early. `Infinity` for no
   * limit. NIST SP 800-63B-4 recommends 1 hour at AAL2.
   * @default 86_400_000, 24 hours
   */
  idleTimeout?: number | undefined;
  /**
   * Ends a login this time after its sign-in, in milliseconds (at least 60_000), even if it is used. `Infinity` for no limit.
   * NIST SP 800-63B-4 recommends 24 hours at AAL2.
   * @default 604_800_000, 7 days
   */
  absoluteTimeout?: number | undefined;
  /**
   * Responds when a login or logout fails, or calls `next()`: without an argument for the page or problem document of this
   * package, with the error for your error handler.
   */
  onError?: ErrorHandler | undefined;
  /**
   * Receives the events of logins and failures, which the guide Monitoring lists. To log one, call the method that `level`
   * names: `console`, pino and winston have it. Events contain no tokens. Without a listener, this package prints to stderr
   * what you must know; in development also denials and logins that ended. `DEBUG=clinician:*` prints every event.
   */
  onEvent?: ClinicianEventListener | undefined;
  /**
   * Where the service redirects users after it has signed them out, exactly as you registered it. `false` signs out on this
   * site only. Only in the `openid` flow: the service requires an ID Token.
   * @default the `loggedOut` route on the site's own origin
   */
  postLogoutRedirectURI?: string | false | undefined;
  /**
   * The path of your front page in the browser, without its final slash: `/app` for `https://site.example/app/`, `''` for `/`.
   * All routes, links and pages of this package are below it, and a `returnTo` of `/` is that page. A proxy may strip it: your
   * site then receives `/auth/callback` when the browser requests `/app/auth/callback`.
   * @default the path of `callbackURL` before `/auth/callback`; `''` if it ends otherwise
   */
  basePath?: string | undefined;
  /** Other paths for the mounted routes, or `false` to leave one out. */
  routes?: Routes | undefined;
}

const timeout: Schema<number> = {
  type: 'a number of milliseconds, at least 60_000 (one minute), or Infinity',
  isValid: (value) => typeof value === 'number' && value >= 60_000,
};

/** Defines the options of {@link ClinicianLoginOptions} that only the drop-in and the strategy have. @internal */
export const loginOptionTable: OptionTable<Omit<ClinicianLoginOptions, keyof RelyingPartyOptions>> = {
  pages: objectType("an object such as { siteName: 'Example Hospital' }"),
  texts: objectType("an object such as { signIn: 'Sign in' }"),
  optionalScope: relyingPartyOptions.scope,
  tokenStore: tokenStoreRule,
  onSignIn: { ...func, default: ({ identity }) => ({ id: identity.id }) },
  idleTimeout: { ...timeout, default: 86_400_000 },
  absoluteTimeout: { ...timeout, default: 604_800_000 },
  onError: func,
  onEvent: func,
  postLogoutRedirectURI: {
    type: 'a string, or false',
    isValid: (value) => text.isValid(value) || value === false,
    check: (value) => (value === false ? undefined : secureURLProblem(value, 'https://app.example/bye')),
  },
  basePath: { ...text, check: basePathProblem },
  routes: objectType("an object such as { login: '/sign-in' }"),
};

/** The options of the drop-in, checked and with their defaults, in groups. @internal */
export interface ResolvedLoginOptions extends ResolvedOptions {
  readonly look: PageLook;
  /** When a login ends, in milliseconds. */
  readonly timeouts: { readonly idleTimeout: number; readonly absoluteTimeout: number };
  /** The site's own functions. */
  readonly handlers: {
    readonly onSignIn: OnSignIn<never>;
    readonly onError: ErrorHandler | undefined;
    readonly onEvent: ClinicianEventListener | undefined;
  };
  readonly tokenStore: TokenStore;
  readonly postLogoutRedirectURI: string | undefined;
}

function resolvePostLogoutRedirectURI(
  uri: string | false | undefined,
  { origin, routes: { loggedOut, endSession } }: Site,
): string | undefined {
  if (uri === false || endSession === false) return undefined;
  if (uri === undefined) return loggedOut ? origin + loggedOut : undefined;
  return uri;
}

/** @returns the checked options. Throws a {@link ConfigurationError} that names the option and the fix. @internal */
export function resolveLoginOptions(options: ClinicianLoginOptions): ResolvedLoginOptions {
  const checked = checkOptions<ClinicianLoginOptions>(options, { ...relyingPartyOptions, ...loginOptionTable });
  const resolved = resolveOptions(checked);
  const { idleTimeout, absoluteTimeout, onSignIn, onError, onEvent, postLogoutRedirectURI } = checked;
  return {
    ...resolved,
    look: resolveLook(checked, resolved.site),
    timeouts: Object.freeze({ idleTimeout: idleTimeout as number, absoluteTimeout: absoluteTimeout as number }),
    handlers: Object.freeze({ onSignIn: onSignIn as OnSignIn<never>, onError, onEvent }),
    tokenStore: checked.tokenStore ?? new MemoryTokenStore({ clock: resolved.site.clock }),
    postLogoutRedirectURI: resolvePostLogoutRedirectURI(postLogoutRedirectURI, resolved.site),
  };
}

/** @returns the origins of the service, and of the page after the logout: browsers apply `form-action` to the redirects too. @internal */
export function logoutOrigins({ client, postLogoutRedirectURI }: ResolvedLoginOptions): readonly string[] {
  const page = postLogoutRedirectURI ? [new URL(postLogoutRedirectURI).origin] : [];
  return [...new Set([...client.endpointOrigins, ...page])];
}
