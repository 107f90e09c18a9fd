import type { House } from '../house.js';
import type { Account } from '../stores/account.js';
import type { Resource } from './resource-api.js';

/** The wire's names, in both spellings where the service has two (decision 90). */
const SAMPLE_SPELLING: Readonly<Record<string, string>> = {
  first_name: 'firstname',
  middle_name: 'middlename',
  last_name: 'lastname',
};

function snake(name: string): string {
  return name
    .replace('ahaID', 'aha_id')
    .replace('credentialID', 'credential_id')
    .replace(/([a-z])([A-Z0-9])/g, '$1_$2')
    .toLowerCase();
}

function snakeMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snake(name), snakeMembers(member)]));
}

function profile(account: Account, scope: readonly string[], spelling: House['spelling']): Record<string, unknown> {
  const fields = snakeMembers(account.fields) as Record<string, unknown>;
  const spelled = Object.entries(fields).map(([name, value]) => [
    (spelling === 'sample' ? SAMPLE_SPELLING[name] : undefined) ?? name,
    value,
  ]);
  return {
    id: account.id,
    ...Object.fromEntries(spelled),
    ...(scope.includes('email') && account.email !== undefined && { email: account.email }),
    verified: account.isVerified,
  };
}

/** GET /api/v1/users/current (service spec: profile). */
export const currentUser: Resource = {
  scope: 'basic',
  read: (house, pair) => profile(pair.grant.account, pair.scope, house.spelling),
};

/** GET /api/v1/rate_limit (decision 95). */
export const rateLimit: Resource = {
  scope: undefined,
  free: true,
  read: (_house, _pair, { limit, remaining, reset }) => ({ limit, remaining, reset }),
};
