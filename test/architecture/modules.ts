/** A module of lib/: a folder, or a file directly in lib/. */
export interface Module {
  /** For docs/project/architecture.md, unless the name says it. */
  readonly purpose?: string;
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
  errors: { imports: [] },
  async: { purpose: 'the clock, time limits, shared calls', imports: ['errors'] },
  production: { purpose: 'whether users can reach this process', imports: [] },
  schema: { purpose: 'the type of a table of options', imports: [] },
  symbol: { purpose: 'the symbol of pages and buttons', imports: [] },
};

const LEAVES = Object.keys(LEAF_MODULES);
const SERVICES = ['events', 'authorization-server', 'resource-api', 'token-vault', 'http', 'sealing', ...LEAVES];
const SIGN_IN = ['health', 'sign-in', 'session', 'options', 'html', ...SERVICES];

const FEATURES = ['session-check', 'popup', 'silent-sign-in'];

/** The modules of the relying party, and the command. */
export const MODULES: Modules = {
  index: { imports: ['clinician-login', 'express', 'passport', ...SIGN_IN] },
  'clinician-login': {
    purpose: 'creates and connects everything',
    imports: [...FEATURES, 'express', 'passport', ...SIGN_IN],
  },
  'session-check': { imports: ['express', ...SIGN_IN] },
  popup: { imports: ['express', ...SIGN_IN] },
  'silent-sign-in': { imports: ['express', ...SIGN_IN] },
  express: { purpose: 'middleware, routes, guards, responses', imports: SIGN_IN },
  passport: {
    imports: ['express', ...SIGN_IN],
    packages: ['passport-oauth2'],
  },
  health: { imports: ['session', ...SERVICES] },
  'sign-in': { purpose: 'one login attempt', imports: ['session', 'options', 'html', ...SERVICES] },
  session: { imports: ['options', ...SERVICES] },
  options: { imports: ['authorization-server', 'http', 'sealing', ...LEAVES] },
  html: { imports: LEAVES },
  events: { imports: ['http', ...LEAVES] },
  'authorization-server': {
    purpose: 'requests and responses of OAuth 2.0 and OpenID Connect',
    imports: ['events', 'http', 'sealing', ...LEAVES],
    packages: ['openid-client'],
  },
  'resource-api': {
    imports: ['options', 'events', 'http', ...LEAVES],
  },
  'token-vault': {
    purpose: 'sealed tokens: stores and refreshes them',
    imports: ['options', 'authorization-server', 'events', 'sealing', ...LEAVES],
  },
  sealing: {
    purpose: 'secrets, encryption, cookies',
    imports: [],
    packages: ['cookie'],
  },
  http: { purpose: '`fetch` with limits, strict JSON', imports: ['errors'] },
  redis: { imports: ['token-vault'] },
  postgres: { imports: ['token-vault'] },
  testing: {
    imports: ['mock-provider', 'options', ...LEAVES],
    types: ['lib/token-vault/token-store.ts'],
  },
  cli: { imports: ['mock-provider', 'options', 'authorization-server', 'http', 'sealing', ...LEAVES] },
  'mock-provider': {
    imports: [],
    files: ['lib/errors/closest-name.ts', 'lib/production.ts', 'lib/schema.ts', 'lib/symbol.ts', 'lib/async/timers.ts'],
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
  'mock-provider': { imports: ['start', 'provider', 'headless', 'faults', 'recording', 'server', ...PROTOCOL] },
  start: {
    purpose: 'connects the parts',
    imports: ['provider', 'inspector', 'server', 'provider-instance', 'options'],
  },
  provider: {
    imports: ['headless', 'server', 'provider-instance', ...OBSERVERS, ...PROTOCOL],
  },
  inspector: {
    imports: ['control', 'server', ...OBSERVERS, ...PAGES],
    types: PROVIDER,
  },
  control: {
    imports: ['server', ...OBSERVERS, ...STATE],
    types: PROVIDER,
  },
  server: {
    purpose: 'listens, applies faults, records',
    imports: SERVER,
    types: ['lib/mock-provider/provider-instance.ts'],
  },
  endpoints: { purpose: 'of the authorization server', imports: ENDPOINTS },
  resources: { purpose: 'of the resource API', imports: ENDPOINTS },
  interactions: { purpose: 'sign-in, registration, consent, sign-out', imports: PAGES },
  headless: { imports: ['options', 'http'] },
  'provider-instance': { purpose: 'the stores of a provider', imports: [...OBSERVERS, ...PROTOCOL] },
  recording: { purpose: 'requests, logins, problems, report', imports: PROTOCOL },
  faults: { imports: PAGES },
  pages: { imports: PROTOCOL },
  protocol: { purpose: 'rules, checks of a request, tokens', imports: STATE },
  state: { purpose: 'clients, accounts, grants, clock, keys', imports: ['options', 'http'] },
  options: { imports: ['http'] },
  http: { imports: [] },
};
