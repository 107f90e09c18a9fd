import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** Decision 15: who is blacklisted, or may not use codes, gets nothing. */
export const checkClientStatus: Check = ({ client }) => {
  if (client.isBlacklisted) {
    const source = 'service spec: errors';
    return new Refusal('unauthorized_client', 'This application is blacklisted', { decision: 15, source });
  }
  if (client.grantTypes.includes('authorization_code')) return {};
  return new Refusal('unauthorized_client', 'This client is not registered for authorization codes', {
    decision: 15,
    source: 'RFC 6749 section 4.1.2.1',
  });
};
