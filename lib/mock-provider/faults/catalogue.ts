import { PAGE_PATHS, PATHS } from '../http/paths.js';
import {
  DOCUMENT_FAULTS,
  LOGOUT_FAULTS,
  PROFILE_FAULTS,
  REDIRECT_FAULTS,
  TOKEN_RESPONSE_FAULTS,
  USERINFO_FAULTS,
} from './content-faults.js';
import { FAILURE_FAULTS, RESPONSE_FAULTS } from './exchange-faults.js';
import type { Definitions, FaultDefinition, FaultKind, FaultOptions } from './fault.js';
import { ID_TOKEN_FAULTS } from './id-token-faults.js';

const SERVICE_PATHS = Object.values(PATHS);

/** The first one is the default. */
const EVERY_ENDPOINT: readonly string[] = [...new Set([PATHS.token, ...SERVICE_PATHS, ...Object.values(PAGE_PATHS)])];

/** The endpoints whose requests identify the client. Every request to the resource API does. */
export const CLIENT_ENDPOINTS: readonly string[] = [
  ...[PATHS.authorize, PATHS.token, PATHS.revoke, PATHS.userinfo, PATHS.logout],
  ...SERVICE_PATHS.filter((path) => path.startsWith('/api/')),
];

/** The endpoints of each kind of fault, for those that have none of their own. */
export const ENDPOINTS_OF_KIND: Readonly<Record<FaultKind, readonly string[]>> = {
  idToken: [PATHS.token],
  tokenResponse: [PATHS.token],
  redirect: [PATHS.authorize],
  logout: [PATHS.logout],
  document: [PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks],
  userinfo: [PATHS.userinfo],
  profile: [PATHS.currentUser],
  failure: EVERY_ENDPOINT,
  response: EVERY_ENDPOINT,
};

/** The definitions of each kind. */
export interface DefinitionsByKind {
  readonly idToken: typeof ID_TOKEN_FAULTS;
  readonly tokenResponse: typeof TOKEN_RESPONSE_FAULTS;
  readonly redirect: typeof REDIRECT_FAULTS;
  readonly logout: typeof LOGOUT_FAULTS;
  readonly document: typeof DOCUMENT_FAULTS;
  readonly userinfo: typeof USERINFO_FAULTS;
  readonly profile: typeof PROFILE_FAULTS;
  readonly failure: typeof FAILURE_FAULTS;
  readonly response: typeof RESPONSE_FAULTS;
}

const BY_KIND: { readonly [Kind in FaultKind]: Definitions<Kind> } = {
  idToken: ID_TOKEN_FAULTS,
  tokenResponse: TOKEN_RESPONSE_FAULTS,
  redirect: REDIRECT_FAULTS,
  logout: LOGOUT_FAULTS,
  document: DOCUMENT_FAULTS,
  userinfo: USERINFO_FAULTS,
  profile: PROFILE_FAULTS,
  failure: FAILURE_FAULTS,
  response: RESPONSE_FAULTS,
} satisfies DefinitionsByKind;

/** Names a fault. */
export type FaultName = { [Kind in FaultKind]: keyof DefinitionsByKind[Kind] }[FaultKind];

/** One fault, as documentation and pages show it. */
export interface Fault {
  readonly kind: FaultKind;
  readonly description: string;
  /** The specification that the fault violates or that describes it. */
  readonly source: string;
  /** The path where it applies by default. */
  readonly endpoint: string;
  /** The paths that the option `endpoint` accepts. */
  readonly endpoints: readonly string[];
  /** The only grant type that it applies to; undefined for any. */
  readonly grantType: FaultOptions['grantType'] | undefined;
  /** The options that it accepts. */
  readonly options: readonly (keyof FaultOptions)[];
}

export const DEFINITIONS: Readonly<Record<FaultName, FaultDefinition>> = Object.fromEntries(
  Object.entries(BY_KIND).flatMap(([kind, faults]) =>
    Object.entries(faults).map(([name, definition]) => [name, { kind, ...definition }]),
  ),
) as Record<FaultName, FaultDefinition>;

function publicFault(definition: FaultDefinition): Fault {
  const { kind, description, source, grantType, options = [] } = definition;
  const endpoints = definition.endpoints ?? ENDPOINTS_OF_KIND[kind];
  const common: Fault['options'][number][] = ['endpoint'];
  if (endpoints.some((path) => CLIENT_ENDPOINTS.includes(path))) common.push('client');
  if (endpoints.includes(PATHS.token) && grantType === undefined) common.push('grantType');
  return {
    kind,
    description,
    source,
    endpoint: definition.endpoint ?? (endpoints[0] as string),
    endpoints,
    grantType,
    options: common.concat(options),
  };
}

/** The description of every fault, by its name. */
export const FAULTS: Readonly<Record<FaultName, Fault>> = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([name, definition]) => [name, publicFault(definition)]),
) as Record<FaultName, Fault>;

export const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULTS) as FaultName[];
