import { type Answer, redirectAnswer } from '../../answer.js';
import type { Refusal } from '../../refusal.js';

/** Where an authorization response goes. */
export interface ResponseTarget {
  redirectURI: string;
  responseMode: 'query' | 'fragment';
  state: string | undefined;
}

/** Redirects to the client; what the address has already is kept (decision 9), `state` comes back byte for byte (decision 36). */
export function respond(
  method: string,
  target: ResponseTarget,
  parameters: Record<string, string>,
  cookies: string[] = [],
): Answer {
  const all = new URLSearchParams(parameters);
  if (target.state !== undefined) all.set('state', target.state);
  const text = all.toString().replaceAll('+', '%20');
  const { redirectURI, responseMode } = target;
  const glue = responseMode === 'fragment' ? '#' : redirectURI.includes('?') ? '&' : '?';
  return redirectAnswer(method, `${redirectURI}${glue}${text}`, cookies);
}

export function respondError(
  method: string,
  target: ResponseTarget,
  { error, description }: Refusal,
  cookies: string[] = [],
): Answer {
  return respond(method, target, { error, error_description: description }, cookies);
}
