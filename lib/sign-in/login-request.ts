import type { AuthorizationParameters } from '../authorization-server/authorization-request.js';

/**
 * Lists how a login is shown:
 * - `page`: the window of the site is redirected to the service and back;
 * - `popup`: a popup is, and closes;
 * - `silent`: the window is redirected, and the service shows no page (`prompt=none`);
 * - `check`: the window is redirected to check which user is signed in at the service (`prompt=none`).
 */
export type SignInMode = 'page' | 'popup' | 'silent' | 'check';

const MODES: ReadonlySet<unknown> = new Set<SignInMode>(['page', 'popup', 'silent', 'check']);
export const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'create'];
export const TYPES: readonly string[] = ['verify', 'login'];

/** Holds the purpose of a login attempt. @internal */
export interface SignInAttempt {
  mode: SignInMode;
  /** The path to redirect to after the login. */
  returnTo: string;
}

/** Holds a login as a link to the login route requests it. @internal */
export interface RequestedLogin extends SignInAttempt {
  parameters: AuthorizationParameters;
}

function requestedMode(prompt: string | undefined, query: URLSearchParams): SignInMode {
  if (prompt === 'none') return 'silent';
  return single(query, 'display') === 'popup' ? 'popup' : 'page';
}

/** @returns the value of a parameter that occurs once. */
function single(query: URLSearchParams, name: string): string | undefined {
  const [value, another] = query.getAll(name);
  return another === undefined ? value : undefined;
}

/** Reads a link to the login route. Unknown parameters and values are ignored. */
export function requestedLogin(query: URLSearchParams): RequestedLogin {
  const prompt = PROMPTS.find((known) => known === single(query, 'prompt'));
  const type = TYPES.find((known) => known === single(query, 'type'));
  const mode = requestedMode(prompt, query);
  return {
    mode,
    returnTo: single(query, 'returnTo') ?? '/',
    parameters: {
      ...modeParameters(mode),
      ...(mode === 'popup' && { display: 'popup' }),
      ...(prompt && { prompt }),
      ...(type && { type }),
    },
  };
}

/** @returns the parameters that store the mode in a transaction. */
export function modeParameters(mode: SignInMode): AuthorizationParameters {
  return mode === 'page' ? {} : { appState: { mode } };
}

/** @returns the mode that a transaction stores. */
export function modeOf(appState: unknown): SignInMode {
  const { mode } = (appState ?? {}) as { mode?: unknown };
  return MODES.has(mode) ? (mode as SignInMode) : 'page';
}

const SLASH_LIKE = /[\\\u2044\u2215\u29F5\u29F8\uFE68\uFF0F\uFF3C]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;
const MAX_LENGTH = 2048;

function decodedPath(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

/**
 * @returns the path to redirect to after the login: the requested one when it belongs to this origin, else `/`.
 * Never a URL that a browser resolves to another host (`//x`, `/\x`, their encoded forms, a scheme, a control character).
 */
export function returnToPath(requested: unknown, origin: string): string {
  if (typeof requested !== 'string' || requested.length > MAX_LENGTH) return '/';
  if (!requested.startsWith('/') || requested.startsWith('//')) return '/';
  if (SLASH_LIKE.test(requested) || CONTROL.test(requested)) return '/';
  if (!URL.canParse(requested, origin)) return '/';
  const url = new URL(requested, origin);
  const path = decodedPath(url.pathname);
  if (url.origin !== origin || path === undefined) return '/';
  if (path.startsWith('//') || SLASH_LIKE.test(path) || CONTROL.test(path)) return '/';
  return url.pathname + url.search + url.hash;
}
