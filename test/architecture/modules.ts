/** A module of lib/: a folder, or a file directly in lib/. */
export interface Module {
  /** For docs/project/architecture.md. */
  readonly purpose: string;
  /** The modules that it may import. */
  readonly imports: readonly string[];
  /** The packages that it may import. */
  readonly packages?: readonly string[];
  /** Files that it may import, without the other files of their modules. */
  readonly files?: readonly string[];
  /** Files that it may import types from, against the direction of the modules. */
  readonly types?: readonly string[];
}

type Modules = Readonly<Record<string, Module>>;

/** Modules that almost every other one uses. */
export const LEAF_MODULES: Modules = {
  errors: { purpose: 'the table of error codes, the error classes, and safe texts for messages', imports: [] },
  async: {
    purpose: 'the clock as a value, time limits, back-off, shared calls, work before the exit, a bounded map',
    imports: ['errors'],
  },
  production: { purpose: 'whether users can reach this process', imports: [] },
  schema: { purpose: 'the type of a table of options, for both sides: types, checks and defaults', imports: [] },
};

const LEAVES = Object.keys(LEAF_MODULES);
const SERVICES = ['events', 'authorization-server', 'resource-api', 'token-vault', 'http', 'sealing', ...LEAVES];
const SIGN_IN = ['health', 'sign-in', 'session', 'options', 'html', ...SERVICES];

const FEATURES = ['session-check', 'popup', 'silent-sign-in'];

/** The modules of the relying party, and the command. */
export const MODULES: Modules = {
  index: {
    purpose: 'the public names of `passport-clinician`',
    imports: ['clinician-login', 'express', 'passport', ...SIGN_IN],
  },
  'clinician-login': {
    purpose: '`clinicianLogin()`: creates everything that the drop-in and its strategy work with, and connects it',
    imports: [...FEATURES, 'express', 'passport', ...SIGN_IN],
  },
  'session-check': {
    purpose: 'the check of the session at the service from pages of the site: frame, page, silent check',
    imports: ['express', ...SIGN_IN],
  },
  popup: {
    purpose: 'the sign-in in a popup: its last page, and its part of the client script',
    imports: ['express', ...SIGN_IN],
  },
  'silent-sign-in': {
    purpose: '`signInSilently()`: signs users in who are signed in at the service',
    imports: ['express', ...SIGN_IN],
  },
  express: {
    purpose: 'middleware, routes, guards, CSRF protection, responses and helmet options of the drop-in',
    imports: SIGN_IN,
  },
  passport: {
    purpose: '`ClinicianStrategy`: its options, verify function, profile and errors',
    imports: ['express', ...SIGN_IN],
    packages: ['passport-oauth2'],
  },
  health: {
    purpose: '`health()`: checks of the service and the token store',
    imports: ['session', ...SERVICES],
  },
  'sign-in': {
    purpose: 'one login attempt: transaction cookies, start, callback, identity, `returnTo`',
    imports: ['session', 'options', 'html', ...SERVICES],
  },
  session: {
    purpose: 'the login in the session of the site: its start and end, its tokens, its verification',
    imports: ['options', ...SERVICES],
  },
  options: {
    purpose: 'one record per option: its shape and its default',
    imports: ['authorization-server', 'http', 'sealing', ...LEAVES],
  },
  html: { purpose: 'pages, buttons, browser scripts and styles; strings in, escaped strings out', imports: LEAVES },
  events: {
    purpose: 'the table of events, `onEvent`, `DEBUG` and warnings',
    imports: ['http', ...LEAVES],
  },
  'authorization-server': {
    purpose: 'OAuth 2.0 and OpenID Connect requests and responses; the differences of the two flows are data',
    imports: ['events', 'http', 'sealing', ...LEAVES],
    packages: ['openid-client'],
  },
  'resource-api': {
    purpose: 'profile, colleagues and rate limit of one user; counts and spaces the calls',
    imports: ['options', 'events', 'http', ...LEAVES],
  },
  'token-vault': {
    purpose: 'sealed tokens: stores, refreshes and erases them; the memory, Redis and PostgreSQL stores',
    imports: ['options', 'authorization-server', 'events', 'sealing', ...LEAVES],
  },
  sealing: {
    purpose: 'secrets that print no value, random texts, encryption, cookies',
    imports: [],
    packages: ['cookie'],
  },
  http: {
    purpose:
      'a `fetch` on `node:http` with time and size limits, requests by the `fetch` of the site, strict JSON, URLs',
    imports: ['errors'],
  },
  redis: {
    purpose: 'the public names of `passport-clinician/redis`',
    imports: ['token-vault'],
  },
  postgres: {
    purpose: 'the public names of `passport-clinician/postgres`',
    imports: ['token-vault'],
  },
  testing: {
    purpose: 'signs in and out at a site under test; tests a token store',
    imports: ['mock-provider', 'options', ...LEAVES],
    types: ['lib/token-vault/token-store.ts'],
  },
  cli: {
    purpose: 'the command: `demo`, `mock-provider`, `doctor`',
    imports: ['mock-provider', 'options', 'authorization-server', 'http', 'sealing', ...LEAVES],
  },
  'mock-provider': {
    purpose: 'the mock provider, see below',
    imports: [],
    files: ['lib/errors/closest-name.ts', 'lib/production.ts', 'lib/schema.ts', 'lib/async/timers.ts'],
  },
};

const STATE = ['state', 'options', 'http'];
const PROTOCOL = ['protocol', ...STATE];
const PAGES = ['pages', ...PROTOCOL];
const ENDPOINTS = ['interactions', ...PAGES];
const OBSERVERS = ['recording', 'faults'];
const SERVER = ['endpoints', 'resources', ...ENDPOINTS, ...OBSERVERS];
const PROVIDER = ['lib/mock-provider/provider.ts', 'lib/mock-provider/provider-instance.ts'];

/** The modules of the mock provider: the folders and files of lib/mock-provider/. */
export const MOCK_MODULES: Modules = {
  'mock-provider': {
    purpose: 'the public names of `passport-clinician/mock-provider`',
    imports: ['start', 'provider', 'headless', 'faults', 'recording', 'server', ...PROTOCOL],
  },
  start: {
    purpose: '`startMockProvider()`: creates the provider and connects its parts',
    imports: ['provider', 'inspector', 'server', 'provider-instance', 'options'],
  },
  provider: {
    purpose: 'the object that a test uses',
    imports: ['headless', 'server', 'provider-instance', ...OBSERVERS, ...PROTOCOL],
  },
  inspector: {
    purpose: 'the page at `/`',
    imports: ['control', 'server', ...OBSERVERS, ...PAGES],
    types: PROVIDER,
  },
  control: {
    purpose: 'the control API `/_mock/`',
    imports: ['server', ...OBSERVERS, ...STATE],
    types: PROVIDER,
  },
  server: {
    purpose: 'listens, routes a request, applies faults and records the exchange',
    imports: SERVER,
    types: ['lib/mock-provider/provider-instance.ts'],
  },
  endpoints: { purpose: 'one file for each endpoint of the authorization server', imports: ENDPOINTS },
  resources: { purpose: 'profile, colleagues, rate limit and inbox', imports: ENDPOINTS },
  interactions: {
    purpose: 'sign-in, registration, verification, consent and sign-out; each returns to the authorization request',
    imports: PAGES,
  },
  headless: { purpose: '`signIn()` and `signOut()` without a browser', imports: ['options', 'http'] },
  'provider-instance': { purpose: 'the stores of a provider', imports: [...OBSERVERS, ...PROTOCOL] },
  recording: {
    purpose: 'recorded requests without secrets, logins, problems, report rules and the trace',
    imports: PROTOCOL,
  },
  faults: { purpose: 'the faults as data, and one function for each kind', imports: PAGES },
  pages: { purpose: 'the HTML pages, browser scripts and styles', imports: PROTOCOL },
  protocol: {
    purpose: 'the table of rules, the checks of a request, tokens, client authentication',
    imports: STATE,
  },
  state: {
    purpose: 'clients, accounts, grants, sessions and other stores, the clock and the keys',
    imports: ['options', 'http'],
  },
  options: {
    purpose: 'one schema per options object, durations, the default clients and test users',
    imports: ['http'],
  },
  http: { purpose: 'requests, responses, parameters, cookies, CORS, masking of secrets', imports: [] },
};
