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
  const schema = pick(faultOptions, ['client', ...fault.options]);
  validate({ ...schema, members: { ...schema.members, endpoint: endpointOf(fault) } }, options, label);
  const { client, grantType, endpoint = '*' } = options;
  const paths = endpoint === '*' ? fault.endpoints : [endpoint];
  const limitedTo = (what: string) => `${label} cannot be limited to a ${what} at ${paths.join(' or ')}`;
  if (client !== undefined && !paths.some((path) => CLIENT_ENDPOINTS.includes(path))) {
    const reason = 'requests there do not identify the client. Leave out client.';
    throw new TypeError(`${limitedTo('client')}: ${reason}`);
  }
  if (grantType !== undefined && !paths.includes(PATHS.token)) {
    throw new TypeError(`${limitedTo('grant type')}: only ${PATHS.token} has one. Leave out grantType.`);
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function endpointOf({ endpoints }: Fault): Schema<string> {
  const type = endpoints.length > 3 ? 'a path of the provider' : endpoints.join(' or ');
  return { ...oneOf('*', ...endpoints), type };
}
