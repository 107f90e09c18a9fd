import { Refusal } from '../../refusal.js';
import type { Check } from './check.js';

/** Decision 15: a blacklisted application gets nothing. */
export const checkStanding: Check = ({ client }) =>
  client.isBlacklisted
    ? new Refusal('unauthorized_client', 'This application is blacklisted', {
        decision: 15,
        source: 'service spec: errors',
      })
    : {};
