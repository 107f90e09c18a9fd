import { refuseUnknownOptions } from '../options/option-names.js';
import { checkShapes } from '../options/option-shapes.js';
import { type ResolvedOptions, resolveOptions, secureURL } from '../options/options.js';
import type { OnSignIn } from '../sign-in/on-sign-in.js';
import { MemoryTokenStore } from '../token-vault/memory-token-store.js';
import type { TokenStore } from '../token-vault/token-store.js';
import type { ClinicianLoginOptions } from './clinician-login-types.js';
import type { PageLinks } from './error-responses.js';
import { pageLinks, type Routes, resolveRoutes } from './routes.js';

const OWN_OPTIONS = ['siteName', 'tokenStore', 'onSignIn', 'onError', 'onEvent', 'postLogoutRedirectURI', 'routes'];

/** The options of the drop-in, checked and with their defaults. @internal */
export interface ResolvedLoginOptions extends ResolvedOptions {
  store: TokenStore;
  onSignIn: OnSignIn<never>;
  routes: Routes;
  links: PageLinks;
  callbackPath: string;
  postLogoutRedirectURI: string | undefined;
}

function resolvePostLogoutRedirectURI(
  uri: string | false | undefined,
  origin: string,
  { loggedOut }: Routes,
): string | undefined {
  if (uri === false) return undefined;
  if (uri === undefined) return loggedOut ? origin + loggedOut : undefined;
  secureURL('postLogoutRedirectURI', uri);
  return uri;
}

/** @returns the checked options. Throws a {@link ConfigurationError} that names the option and the fix. @internal */
export function resolveLoginOptions(options: ClinicianLoginOptions): ResolvedLoginOptions {
  refuseUnknownOptions(options, OWN_OPTIONS);
  checkShapes(options);
  const resolved = resolveOptions(options);
  const { pathname: callbackPath, host } = new URL(resolved.callbackURL);
  const routes = resolveRoutes(options.routes, callbackPath);
  return {
    ...resolved,
    callbackPath,
    routes,
    links: pageLinks(routes, options.siteName ?? host),
    store: options.tokenStore ?? new MemoryTokenStore({ clock: resolved.clock }),
    onSignIn: options.onSignIn ?? (({ identity }) => ({ id: identity.id })),
    postLogoutRedirectURI: resolvePostLogoutRedirectURI(options.postLogoutRedirectURI, resolved.origin, routes),
  };
}
