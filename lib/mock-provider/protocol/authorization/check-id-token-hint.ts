import { readOwnIDToken } from '../id-token.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** Decision 33: an ID Token of ours, for this client; an expired one will do. */
export const checkIDTokenHint: Check = ({ parameters, client, instance }) => {
  const hint = parameters.get('id_token_hint');
  if (hint === undefined) return {};
  const claims = readOwnIDToken(hint, instance.keys, instance.issuer);
  const hinted = claims?.azp === client.id ? instance.accounts.bySub(String(claims.sub)) : undefined;
  if (hinted !== undefined) return { hinted };
  const description = 'id_token_hint is not an ID Token that this service issued to this client';
  return new Refusal('invalid_request', description, { decision: 33, source: 'OpenID Connect Core section 3.1.2.1' });
};
