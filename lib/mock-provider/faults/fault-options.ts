import { oneOf, type Schema, text } from '../../schema.js';
import { PATHS } from '../http/paths.js';
import { durationThatIs } from '../options/duration.js';
import { nonEmptyText, object, pick } from '../options/schema.js';
import { validate } from '../options/validate.js';
import { CLIENT_ENDPOINTS, type Fault } from './catalogue.js';
import type { FaultOptions } from './fault.js';

const HOUR_MS = 3_600_000;

/** Validates {@link FaultOptions}. */
export const faultOptions: Schema<FaultOptions> = {
  ...object<FaultOptions>(
    {},
    {
      endpoint: text,
      client: nonEmptyText,
      grantType: oneOf('authorization_code', 'refresh_token'),
      delay: durationThatIs('from 0 to 1 hour', (length) => length >= 0 && length <= HOUR_MS),
    },
  ),
  type: 'called with an object of options such as { delay: 2000 }',
};

/** Throws a TypeError that names the fix. @returns a copy of the options without undefined members. */
export function checkFaultOptions(name: string, fault: Fault, options: FaultOptions): FaultOptions {
  const label = `The fault ${name}`;
  if (options?.client !== undefined && !fault.options.includes('client')) throw clientUnknown(label, fault.endpoints);
  const schema = pick(faultOptions, fault.options);
  validate({ ...schema, members: { ...schema.members, endpoint: endpointOf(fault) } }, options, label);
  const checked: FaultOptions = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  checkLimits(label, fault, checked);
  return checked;
}

function endpointOf({ endpoints }: Fault): Schema<string> {
  const type = endpoints.length > 3 ? 'a path of the provider' : endpoints.join(' or ');
  return { ...oneOf('*', ...endpoints), type };
}

/** Checks the options that limit a fault to a client or a grant type: they apply only if requests contain it. */
function checkLimits(
  label: string,
  fault: Fault,
  { client, grantType, endpoint = fault.endpoint }: FaultOptions,
): void {
  if (endpoint === '*') return;
  if (client !== undefined && !CLIENT_ENDPOINTS.includes(endpoint)) {
    throw clientUnknown(label, [endpoint]);
  }
  if (grantType !== undefined && endpoint !== PATHS.token) {
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
