import { PATHS } from '../http/paths.js';
import { closestName, refuseUnknownNames } from '../options/option-check.js';
import { CLIENT_ENDPOINTS, EVERY_ENDPOINT } from './endpoints.js';
import type { Fault, FaultOptions } from './fault.js';

const A_DAY = 86_400;
const MOST_MILLISECONDS = 3_600_000;

const isWhole = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** What each option must be; where it strikes is looked at by itself. */
const MUST_BE: Readonly<Record<string, readonly [what: string, isRight: (value: unknown) => boolean]>> = {
  nth: ['a whole number, 1 for the next time', (value) => isWhole(value, 1, Number.MAX_SAFE_INTEGER)],
  client: ['a client_id', (value) => typeof value === 'string' && value !== ''],
  grantType: [`'authorization_code' or 'refresh_token'`, (value) => GRANT_TYPES.includes(value as string)],
  milliseconds: ['a whole number of milliseconds, up to an hour', (value) => isWhole(value, 0, MOST_MILLISECONDS)],
  seconds: ['a whole number of seconds', (value) => isWhole(value, -10_000 * A_DAY, 10_000 * A_DAY)],
  status: ['a status from 500 to 599', (value) => isWhole(value, 500, 599)],
  error: ["an error code such as 'access_denied'", (value) => typeof value === 'string' && /^[a-z_]+$/.test(value)],
};
const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'];

/** Throws one sentence, with the fix, for options that a fault cannot have. @returns a copy without undefined members. */
export function checkFaultOptions(name: string, fault: Fault, options: unknown): FaultOptions {
  const where = `The fault ${name}`;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`The options of ${name} must be an object such as { nth: 2 }, not ${JSON.stringify(options)}.`);
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as FaultOptions;
  if (given.client !== undefined && !fault.options.includes('client')) throw nobodyKnown(where, fault.endpoints);
  refuseUnknownNames(given, fault.options, where);
  for (const [option, value] of Object.entries(given)) {
    const [what, isRight] = MUST_BE[option] ?? [];
    if (isRight && !isRight(value)) {
      throw new TypeError(`${where}: ${option} must be ${what}, not ${JSON.stringify(value)}.`);
    }
  }
  if (given.endpoint !== undefined) checkEndpoint(where, fault, given.endpoint);
  checkPlace(where, fault, given);
  return given;
}

function checkEndpoint(where: string, { endpoints }: Fault, endpoint: string): void {
  if (endpoints.includes(endpoint)) return;
  const fix = `It strikes at ${endpoints.length > 3 ? 'any path of the provider' : endpoints.join(' or ')}.`;
  if (EVERY_ENDPOINT.includes(endpoint)) {
    throw new TypeError(`${where} makes no sense at ${endpoint}. It strikes at ${endpoints.join(' or ')}.`);
  }
  const path = URL.canParse(endpoint) ? new URL(endpoint).pathname : String(endpoint);
  const meant = PATHS[endpoint as keyof typeof PATHS] ?? closestName(path, endpoints);
  throw new TypeError(
    `There is no endpoint ${JSON.stringify(endpoint)}. ${meant === undefined ? fix : `Did you mean ${meant}?`}`,
  );
}

function nobodyKnown(where: string, endpoints: readonly string[]): TypeError {
  const places = endpoints.join(' or ');
  return new TypeError(`${where} cannot be for one client at ${places}: nobody says there who asks. Leave client out.`);
}

/** A client or a grant type can be asked for only where the request tells it. */
function checkPlace(where: string, fault: Fault, { client, grantType, endpoint = fault.endpoint }: FaultOptions): void {
  if (client !== undefined && endpoint !== undefined && !CLIENT_ENDPOINTS.includes(endpoint)) {
    throw nobodyKnown(where, [endpoint]);
  }
  if (grantType !== undefined && endpoint !== undefined && endpoint !== PATHS.token) {
    throw new TypeError(`${where} cannot be for one grant type at ${endpoint}: there is one at ${PATHS.token} alone.`);
  }
}
