import type { AuthorizationParameters } from '../authorization-server/authorization-server.js';
import { requestedMode } from './sign-in-mode.js';

function once(query: URLSearchParams, name: string): string | undefined {
  const [value, another] = query.getAll(name);
  return another === undefined ? value : undefined;
}

/** What a link to the login route may ask for; anything else in the link is left alone. */
export function loginParameters(query: URLSearchParams): AuthorizationParameters {
  const [prompt, type, display, frame] = ['prompt', 'type', 'display', 'frame'].map((name) => once(query, name));
  const way = requestedMode({ prompt, display, frame });
  return {
    returnTo: once(query, 'returnTo') ?? '/',
    ...(way !== 'page' && { appState: { way } }),
    ...(way === 'popup' && { display: 'popup' }),
    ...(prompt && ['none', 'login', 'consent', 'create'].includes(prompt) && { prompt }),
    ...((type === 'verify' || type === 'login') && { type }),
  };
}
