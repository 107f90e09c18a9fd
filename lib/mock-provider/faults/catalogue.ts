import { PATHS } from '../http/paths.js';
import { CLAIM_FAULTS } from './claim-faults.js';
import { DOCUMENT_FAULTS } from './document-faults.js';
import { CLIENT_ENDPOINTS } from './endpoints.js';
import { FAILURE_DEFAULTS, FAILURE_FAULTS } from './failure-faults.js';
import type { Fault, FaultDefinition, FaultKind, FaultOptions, KindDefaults } from './fault.js';
import type { FaultAlias, FaultName } from './fault-names.js';
import { ID_TOKEN_DEFAULTS } from './id-token-fault.js';
import { LOGOUT_DEFAULTS, LOGOUT_FAULTS } from './logout-faults.js';
import { PROFILE_DEFAULTS, PROFILE_FAULTS, USERINFO_DEFAULTS, USERINFO_FAULTS } from './profile-faults.js';
import { REDIRECT_DEFAULTS, REDIRECT_FAULTS } from './redirect-faults.js';
import { RESPONSE_DEFAULTS, RESPONSE_FAULTS } from './response-faults.js';
import { SIGNATURE_FAULTS } from './signature-faults.js';
import { TOKEN_RESPONSE_DEFAULTS, TOKEN_RESPONSE_FAULTS } from './token-response-faults.js';

type Entries<Name extends FaultName> = Readonly<Record<Name, FaultDefinition<unknown>>>;

/** @returns the entries of one kind as data: each with what all of the kind share, and with the options that its place allows. */
function facts<Name extends FaultName>(
  kind: FaultKind,
  entries: Entries<Name>,
  defaults?: KindDefaults,
): Record<Name, Fault> {
  const pairs = Object.entries<FaultDefinition<unknown>>(entries).map(([name, entry]) => {
    const { description, source, aliases = [], grantType } = entry;
    const endpoints = entry.endpoints ?? defaults?.endpoints ?? [];
    const endpoint = entry.endpoint ?? defaults?.endpoint;
    const options = [
      'nth',
      'endpoint',
      ...(endpoints.some((path) => CLIENT_ENDPOINTS.includes(path)) ? ['client'] : []),
      ...(endpoints.includes(PATHS.token) && grantType === undefined ? ['grantType'] : []),
      ...(entry.options ?? []),
    ] as (keyof FaultOptions)[];
    return [name, { kind, description, source, aliases, endpoint, endpoints, grantType, options }];
  });
  return Object.fromEntries(pairs) as Record<Name, Fault>;
}

/** Every fault there is, by its name: data, for documentation and for pages that offer faults. */
export const FAULTS: Readonly<Record<FaultName, Fault>> = {
  ...facts('idToken', SIGNATURE_FAULTS, ID_TOKEN_DEFAULTS),
  ...facts('idToken', CLAIM_FAULTS, ID_TOKEN_DEFAULTS),
  ...facts('tokenResponse', TOKEN_RESPONSE_FAULTS, TOKEN_RESPONSE_DEFAULTS),
  ...facts('redirect', REDIRECT_FAULTS, REDIRECT_DEFAULTS),
  ...facts('logout', LOGOUT_FAULTS, LOGOUT_DEFAULTS),
  ...facts('document', DOCUMENT_FAULTS),
  ...facts('userinfo', USERINFO_FAULTS, USERINFO_DEFAULTS),
  ...facts('profile', PROFILE_FAULTS, PROFILE_DEFAULTS),
  ...facts('failure', FAILURE_FAULTS, FAILURE_DEFAULTS),
  ...facts('response', RESPONSE_FAULTS, RESPONSE_DEFAULTS),
};

export const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULTS) as FaultName[];

const BY_ALIAS: ReadonlyMap<string, FaultName> = new Map(
  FAULT_NAMES.flatMap((name) => FAULTS[name].aliases.map((alias): [FaultAlias, FaultName] => [alias, name])),
);

export const FAULT_ALIASES: readonly string[] = [...BY_ALIAS.keys()];

/** @returns the fault that is meant by its own name or by another one, or undefined when there is none. */
export function faultNamed(name: string): FaultName | undefined {
  return Object.hasOwn(FAULTS, name) ? (name as FaultName) : BY_ALIAS.get(name);
}
