import type { ResolvedOptions } from '../options/resolve-provider-options.js';
import { Refusal, type Refused } from './refusal.js';

/** Selects what a blacklisted application gets: a closed connection, or 403. */
export type BlacklistedOption = ResolvedOptions['blacklisted'];

/** @returns the refusal of a request with an access token of a blacklisted application. */
export function blacklistedRefusal(): Refusal {
  const description = 'This application is blacklisted';
  return new Refusal('blacklisted-client-no-response', 'access_denied', description, { status: 403 });
}

/** @returns the refusal without its response, unless the option asks for the response (service spec: errors). */
export function withoutResponse(refused: Refused, option: BlacklistedOption): Refused {
  if (option === 'forbidden') return refused;
  return { ...refused, response: { ...refused.response, connectionFault: 'reset' } };
}
