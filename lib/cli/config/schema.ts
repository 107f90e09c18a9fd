import type {
  ClientRegistration,
  ClinicianOptions,
  LifetimeOptions,
  MockProviderOptions,
  RateLimitOptions,
} from '../../mock-provider/mock-provider.js';
import type { JSONValue } from './json-text.js';

/** What a value of the config file has to be: a plain one, a list, or an object with members of their own. */
export interface Schema {
  /** For a sentence: `a text`. */
  readonly words: string;
  readonly fits?: (value: JSONValue) => boolean;
  readonly each?: Schema;
  readonly members?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const isText = (value: JSONValue): boolean => typeof value === 'string';
const isNumber = (value: JSONValue): boolean => typeof value === 'number';

const text: Schema = { words: 'a text', fits: isText };
const number: Schema = { words: 'a number', fits: isNumber };
const yesOrNo: Schema = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
const textOrNull: Schema = { words: 'a text or null', fits: (value) => isText(value) || value === null };
const duration: Schema = {
  words: 'a duration such as "30 minutes", or a number of milliseconds',
  fits: (value) => isText(value) || isNumber(value),
};
const texts: Schema = { words: 'a list of texts', each: text };
const textOrTexts: Schema = {
  words: 'a text, or a list of texts',
  fits: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
};

function listOf(members: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { words: 'a list of objects', each: objectOf(members, required) };
}

function objectOf(members: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { words: 'an object', members, required };
}

// The compiler keeps each list whole.
type Members<T> = Readonly<Record<keyof T, Schema>>;

const client: Members<ClientRegistration> = {
  clientID: text,
  clientSecret: text,
  flow: text,
  redirectURIs: texts,
  postLogoutRedirectURIs: texts,
  scope: textOrTexts,
  developer: text,
  name: text,
  requirePKCE: yesOrNo,
  allowLoopbackPort: yesOrNo,
  responseTypes: texts,
  grantTypes: texts,
  userinfoSignedResponseAlg: text,
};

const location = {
  address1: text,
  address2: textOrNull,
  city: text,
  state: text,
  phone: text,
  fax: textOrNull,
  zip: text,
};

const clinician: Members<ClinicianOptions> = {
  username: text,
  password: text,
  id: number,
  sub: text,
  verified: yesOrNo,
  verifiedAfter: duration,
  email: text,
  npi: number,
  firstName: text,
  middleName: text,
  lastName: text,
  maidenName: textOrNull,
  fullName: text,
  gender: text,
  state: text,
  lat: number,
  lon: number,
  city: text,
  zip: text,
  address1: textOrNull,
  address2: textOrNull,
  phone: textOrNull,
  fax: textOrNull,
  additionalLocations: listOf(location),
  credentials: text,
  specialty: text,
  specialtyDetails: objectOf({ abbr: text, code: text, credentialID: number, name: text, id: text }),
  hospitals: listOf({ name: text, ahaID: text }, ['name', 'ahaID']),
  subspecialties: texts,
  medicalSchool: text,
  residencies: texts,
  profilePhoto: text,
  colleagueCount: number,
  description: text,
};

const lifetimes: Members<LifetimeOptions> = {
  code: duration,
  accessToken: duration,
  refreshToken: duration,
  session: duration,
};

const rateLimit: Members<RateLimitOptions> = {
  limit: number,
  window: duration,
  countNotModified: yesOrNo,
  blacklistAfter: number,
};

const options: Members<MockProviderOptions> = {
  port: number,
  host: text,
  https: { words: 'true or false, or an object with key and cert in PEM', fits: isTLS },
  publicURL: text,
  clients: listOf(client, ['clientID', 'clientSecret', 'flow', 'redirectURIs']),
  clinicians: listOf(clinician, ['username']),
  lifetimes: objectOf(lifetimes),
  refreshGraceMs: number,
  rateLimit: objectOf(rateLimit),
  spelling: text,
  verification: text,
  shareScriptPort: number,
  issParameter: yesOrNo,
  sessionStateOnErrors: yesOrNo,
  logoutRevokesTokens: yesOrNo,
  apiCORS: yesOrNo,
  blacklisted: text,
  control: yesOrNo,
  allowInProduction: yesOrNo,
};

/** What the whole config file has to be: the options of `startMockProvider()`. */
export const CONFIG: Schema = objectOf(options);

function isTLS(value: JSONValue): boolean {
  if (typeof value === 'boolean') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { key, cert, ...others } = value as Record<string, JSONValue | undefined>;
  return typeof key === 'string' && typeof cert === 'string' && Object.keys(others).length === 0;
}
