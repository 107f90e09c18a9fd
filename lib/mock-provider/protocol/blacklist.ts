import { Refusal, type Refused } from './refusal.js';

/** @returns the refusal of a blacklisted application, whose connection is closed (service spec: errors). */
export function refuseBlacklisted(): Refused {
  const description = 'This application is blacklisted';
  const refusal = new Refusal('blacklisted-client-no-response', 'access_denied', description, { status: 403 });
  return { refusal, response: { status: 403, headers: {}, body: '', connectionFault: 'reset' } };
}
