import { PATHS } from '../http/paths.js';
import { parseDuration } from '../options/duration.js';
import { closestName, refuseUnknownNames } from '../options/option-check.js';
import type { Fault } from './catalogue.js';
import { CLIENT_ENDPOINTS, EVERY_ENDPOINT } from './endpoints.js';
import type { FaultOptions } from './fault.js';

const HOUR_MS = 3_600_000;
const MAX_MS = 10_000 * 24 * HOUR_MS;
const GRANT_TYPES: readonly unknown[] = ['authorization_code', 'refresh_token'];

/** The requirement of each option and its check; `endpoint` is checked separately. */
const RULES: Readonly<
  Record<Exclude<keyof FaultOptions, 'endpoint'>, readonly [requirement: string, isValid: (value: unknown) => boolean]>
> = {
  nth: ['a whole number, 1 for the next exchange', (value) => isWhole(value, 1, Number.MAX_SAFE_INTEGER)],
  client: ['a client_id', (value) => typeof value === 'string' && value !== ''],
  grantType: ["'authorization_code' or 'refresh_token'", (value) => GRANT_TYPES.includes(value)],
  delay: ["a duration up to an hour, such as 500 or '30 seconds'", (value) => isDuration(value, 0, HOUR_MS)],
  offset: ["a duration such as '1 hour' or '-5 minutes'", (value) => isDuration(value, -MAX_MS, MAX_MS)],
  window: ["a duration such as '15 minutes'", (value) => isDuration(value, 0, MAX_MS)],
  status: ['a status from 500 to 599', (value) => isWhole(value, 500, 599)],
  error: ["an error code such as 'access_denied'", (value) => typeof value === 'string' && /^[a-z_]+$/.test(value)],
};

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isDuration(value: unknown, min: number, max: number): boolean {
  const duration = parseDuration(value);
  return duration !== undefined && duration >= min && duration <= max;
}

/** Throws a TypeError that names the option and the fix. @returns a copy of the options without undefined members. */
export function checkFaultOptions(name: string, fault: Fault, options: unknown): FaultOptions {
  const label = `The fault ${name}`;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`The options of ${name} must be an object such as { nth: 2 }, not ${JSON.stringify(options)}.`);
  }
  const checked = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  if ('client' in checked && !fault.options.includes('client')) throw clientUnknown(label, fault.endpoints);
  refuseUnknownNames(checked, fault.options, label);
  for (const [option, [requirement, isValid]] of Object.entries(RULES)) {
    if (option in checked && !isValid(checked[option])) {
      throw new TypeError(`${label}: ${option} must be ${requirement}, not ${JSON.stringify(checked[option])}.`);
    }
  }
  if ('endpoint' in checked) checkEndpoint(label, fault, checked.endpoint);
  checkLimits(label, fault, checked);
  return checked;
}

function checkEndpoint(label: string, { endpoints }: Fault, endpoint: unknown): void {
  if (endpoints.includes(endpoint as string)) return;
  const paths = endpoints.join(' or ');
  if (EVERY_ENDPOINT.includes(endpoint as string)) {
    throw new TypeError(`${label} does not apply at ${endpoint}. Set endpoint to ${paths}.`);
  }
  const path = URL.canParse(String(endpoint)) ? new URL(String(endpoint)).pathname : String(endpoint);
  const closest = PATHS[endpoint as keyof typeof PATHS] ?? closestName(path, endpoints);
  const fix = `Set endpoint to ${endpoints.length > 3 ? 'a path of the provider' : paths}.`;
  throw new TypeError(
    `There is no endpoint ${JSON.stringify(endpoint)}. ${closest === undefined ? fix : `Did you mean ${closest}?`}`,
  );
}

/** A fault can be limited to a client or a grant type only where requests contain it. */
function checkLimits(
  label: string,
  fault: Fault,
  { client, grantType, endpoint = fault.endpoint }: FaultOptions,
): void {
  if (client !== undefined && endpoint !== undefined && !CLIENT_ENDPOINTS.includes(endpoint)) {
    throw clientUnknown(label, [endpoint]);
  }
  if (grantType !== undefined && endpoint !== undefined && endpoint !== PATHS.token) {
    throw new TypeError(
      `${label} cannot be limited to a grant type at ${endpoint}: only ${PATHS.token} has one. Leave out grantType.`,
    );
  }
}

function clientUnknown(label: string, endpoints: readonly string[]): TypeError {
  const paths = endpoints.join(' or ');
  return new TypeError(
    `${label} cannot be limited to a client at ${paths}: requests there do not identify the client. Leave out client.`,
  );
}
