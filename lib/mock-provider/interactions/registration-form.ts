import type { Parameters } from '../http/parameters.js';
import { isNPI } from '../options/npi.js';
import type { AccountStore } from '../state/accounts.js';

/** The fields of the account creation page, and the problems with them. */
export interface Registration {
  readonly values: Readonly<Record<RegistrationField, string>>;
  readonly problems: Readonly<Partial<Record<RegistrationField, string>>>;
}

type RegistrationField = 'firstName' | 'lastName' | 'npi' | 'credentials' | 'specialty' | 'email' | 'password';

type Check = (value: string, accounts: AccountStore) => string | undefined;

const EMAIL = /^[!-?A-~]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/;

const required =
  (what: string, maxLength: number): Check =>
  (value) => {
    if (value === '') return `Enter ${what}.`;
    return value.length > maxLength ? `Use at most ${maxLength} characters.` : undefined;
  };

const npi: Check = (value) => {
  if (value === '') return 'Enter your NPI.';
  if (!/^[12]\d{9}$/.test(value)) return 'Enter ten digits, the first of them 1 or 2.';
  return isNPI(value) ? undefined : 'This NPI is invalid: its check digit does not match.';
};

const email: Check = (value, accounts) => {
  if (value === '') return 'Enter your email address.';
  if (value.length > 254 || !EMAIL.test(value)) return 'Enter an email address such as name@clinic.example.';
  return accounts.byUsername(value) ? 'This email address already has an account. Sign in instead.' : undefined;
};

const password: Check = (value, accounts) =>
  value.length < 8 ? 'Use at least 8 characters.' : required('a password', 200)(value, accounts);

const CHECKS: Readonly<Record<RegistrationField, Check>> = {
  firstName: required('your first name', 60),
  lastName: required('your last name', 60),
  npi,
  credentials: required('your credentials', 40),
  specialty: required('your specialty', 80),
  email,
  password,
};

const FIELDS = Object.keys(CHECKS) as RegistrationField[];

export function readRegistration(form: Parameters, accounts: AccountStore): Registration {
  const values = Object.fromEntries(FIELDS.map((name) => [name, cleaned(name, form.get(name) ?? '')]));
  const checked = FIELDS.map((name) => [name, CHECKS[name](values[name] ?? '', accounts)] as const);
  const problems = Object.fromEntries(checked.filter(([, problem]) => problem !== undefined));
  return { values: values as Registration['values'], problems };
}

function cleaned(name: RegistrationField, value: string): string {
  if (name === 'password') return value;
  if (name === 'npi') return value.replace(/[\s-]/g, '');
  const text = value.trim().replace(/\s+/g, ' ');
  // Only A to Z: other letters can become ASCII letters, and so the address of another user.
  return name === 'email' ? text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : text;
}
