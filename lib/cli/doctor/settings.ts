import { readFileSync } from 'node:fs';
import { type FlowName, flows, formatScope, parseScope } from '../../authorization-server/flows.js';
import {
  type Environment,
  readVariables,
  VARIABLES,
  type VariableProblem,
  variableProblems,
} from '../../options/environment.js';
import { Secret } from '../../sealing/secret.js';
import type { ParsedArguments } from '../arguments.js';
import { CommandError } from '../command.js';

/** The settings of a site. A missing one is the empty string. */
export interface Settings {
  readonly issuer: string;
  readonly apiURL: string;
  readonly clientID: string;
  readonly clientSecret: Secret;
  readonly flow: FlowName;
  /** With the scopes of single pages. */
  readonly scope: string;
  readonly callbackURL: string;
  /** The option `postLogoutRedirectURI`, or its default. */
  readonly postLogoutURL: string;
  /** The first seals, each of them opens. */
  readonly sessionSecrets: readonly Secret[];
  /** What is wrong with the variables. */
  readonly problems: readonly VariableProblem[];
  readonly redisURL: Secret;
  /** `DATABASE_URL` is set: sessions and tokens may be in that database. */
  readonly usesDatabase: boolean;
  readonly production: boolean;
  /** The option `allowedEndpointOrigins`. */
  readonly allowedEndpointOrigins: readonly string[];
  /** The certificate of a private authority, in PEM. */
  readonly ca: string | undefined;
  /** The folder of the site and its packages. */
  readonly folder: string;
}

/** Maps the flags of the command to the variables that they override. */
const FLAGS: Readonly<Record<string, string>> = {
  issuer: VARIABLES.issuer,
  'api-url': VARIABLES.apiURL,
  'client-id': VARIABLES.clientID,
  flow: VARIABLES.flow,
  scope: VARIABLES.scope,
  'app-url': VARIABLES.callbackURL,
};

/**
 * Reads the variables of `clinicianLogin.fromEnv()`. Flags on the command line override them, and the defaults of the package
 * replace missing ones.
 */
export function readSettings(parsed: ParsedArguments, env: Environment): Settings {
  const flags = Object.entries(FLAGS).filter(([flag]) => parsed[flag] !== undefined);
  const overrides = Object.fromEntries(flags.map(([flag, variable]) => [variable, String(parsed[flag])]));
  const callbackPath = parsed['callback-path'] === undefined ? undefined : String(parsed['callback-path']);
  const options = readVariables({ ...env, ...overrides }, callbackPath);
  const { issuer = '', apiURL = '', clientID = '', clientSecret = '', callbackURL = '', secret = [] } = options;
  const { flow = 'openid', scope = flows[flow]?.defaultScope ?? [], optionalScope } = options;
  return {
    ...{ issuer, apiURL, clientID, flow, callbackURL },
    postLogoutURL: String(parsed['post-logout-redirect-uri'] ?? defaultPostLogoutURL(callbackURL)),
    clientSecret: new Secret(clientSecret),
    scope: formatScope([...parseScope(scope), ...parseScope(optionalScope)]),
    sessionSecrets: [secret].flat().map((text) => new Secret(text)),
    problems: variableProblems(options),
    redisURL: new Secret(notBlank(env.REDIS_URL)),
    usesDatabase: notBlank(env.DATABASE_URL) !== '',
    production: env.NODE_ENV === 'production',
    allowedEndpointOrigins: [notBlank(parsed['endpoint-origin'] as string)].filter((origin) => origin !== ''),
    ca: parsed['ca-file'] === undefined ? undefined : readAuthority(parsed['ca-file'] as string),
    folder: String(parsed.folder ?? process.cwd()),
  };
}

/** @returns the `loggedOut` route of a site that sets neither `routes` nor `basePath`. */
function defaultPostLogoutURL(callbackURL: string): string {
  if (!URL.canParse(callbackURL)) return '';
  const { origin, pathname } = new URL(callbackURL);
  const callbackPath = '/auth/callback';
  const basePath = pathname.endsWith(callbackPath) ? pathname.slice(0, -callbackPath.length) : '';
  return `${origin}${basePath}/auth/logged-out`;
}

/** Replaces a blank value by '': shells and containers often set `NAME=` for a variable that is not set. */
function notBlank(value = ''): string {
  return value.trim() === '' ? '' : value;
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
