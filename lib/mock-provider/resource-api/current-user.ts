import { digest } from '../http/digest.js';
import type { Representation } from '../http/response.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Account } from '../state/account.js';
import type { Grant } from '../state/grants.js';
import type { Resource } from './resource-api.js';
import { wireMembers } from './wire-names.js';

/** Made once for each state of an account: the profile is what is asked for most. */
const made = new WeakMap<Account, { version: string; found: Representation }>();

/** GET /api/v1/users/current (service spec: profile). */
export const currentUser: Resource = {
  scope: 'basic',
  read: (instance, _http, grant) => representation(instance, grant),
};

function representation({ rules }: ProviderInstance, { account, accessScope }: Grant): Representation {
  const withEmail = accessScope.includes('email');
  const version = `${account.version} ${account.isVerified} ${withEmail} ${rules.spelling}`;
  const known = made.get(account);
  if (known?.version === version) return known.found;
  const body = JSON.stringify(profile(account, withEmail, rules.spelling));
  const found = { body, etag: `"${digest(body)}"` };
  made.set(account, { version, found });
  return found;
}

function profile(
  account: Account,
  withEmail: boolean,
  spelling: ProviderInstance['rules']['spelling'],
): Record<string, unknown> {
  return {
    id: account.id,
    ...wireMembers(account.fields, spelling),
    ...(withEmail && { email: account.email }),
    verified: account.isVerified,
  };
}
