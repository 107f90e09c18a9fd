import type { AuthorizationParameters } from '../authorization-server/authorization-server.js';

/**
 * How a login is shown:
 * - `page`: the window of the site is redirected to the service and back;
 * - `popup`: a popup is, and closes;
 * - `silent`: the window is redirected, and the service shows no page (`prompt=none`);
 * - `check`: a hidden frame of the session check is redirected (`prompt=none`).
 */
export type SignInMode = 'page' | 'popup' | 'silent' | 'check';

const MODES: ReadonlySet<unknown> = new Set<SignInMode>(['page', 'popup', 'silent', 'check']);
const PROMPTS = ['none', 'login', 'consent', 'create'];
const TYPES = ['verify', 'login'] as const;

/** What a login attempt is started for. @internal */
export interface SignInAttempt {
  mode: SignInMode;
  /** The path to redirect to after the login. */
  returnTo: string;
}

/** A login as a link to the login route requests it. @internal */
export interface RequestedLogin extends SignInAttempt {
  parameters: AuthorizationParameters;
}

function requestedMode(prompt: string | undefined, query: URLSearchParams): SignInMode {
  if (prompt === 'none') return single(query, 'frame') === 'check' ? 'check' : 'silent';
  return single(query, 'display') === 'popup' ? 'popup' : 'page';
}

/** @returns the value of a parameter that is there once. */
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

/** @returns the parameters by which a transaction remembers its mode. */
export function modeParameters(mode: SignInMode): AuthorizationParameters {
  return mode === 'page' ? {} : { appState: { mode } };
}

/** @returns the mode that a transaction remembers. */
export function modeOf(appState: unknown): SignInMode {
  const { mode } = (appState ?? {}) as { mode?: unknown };
  return MODES.has(mode) ? (mode as SignInMode) : 'page';
}
