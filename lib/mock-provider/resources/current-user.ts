import { jsonRepresentation, type Representation } from '../http/response.js';
import type { Account } from '../state/account.js';
import type { Resource } from './resources.js';
import { withUnsetMembers } from './unset-members.js';
import { type SpellingOption, wireMembers } from './wire-names.js';

/** Creates GET /api/v1/users/current (service spec: profile). */
export function createCurrentUser(options: SpellingOption): Resource {
  /** Serialised once for each version of an account: it is the most requested resource. */
  const cache = new WeakMap<Account, { version: string; representation: Representation }>();

  return {
    scope: 'basic',
    read(_http, { account, accessScope }) {
      const withEmail = accessScope.includes('email');
      const version = `${account.version} ${account.isVerified} ${withEmail}`;
      const cached = cache.get(account);
      if (cached?.version === version) return cached.representation;
      const representation = jsonRepresentation(profileMembers(account, withEmail, options));
      cache.set(account, { version, representation });
      return representation;
    },
  };
}

function profileMembers(account: Account, withEmail: boolean, { spelling }: SpellingOption): Record<string, unknown> {
  return {
    id: account.id,
    ...wireMembers(withUnsetMembers(account), spelling),
    ...(withEmail && { email: account.email }),
    verified: account.isVerified,
  };
}
