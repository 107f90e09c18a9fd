import { beforeEach, describe, expect, test } from '@jest/globals';
import { FAULTS } from '../../../lib/mock-provider/mock-provider.js';
import { REPORT_RULES } from '../../../lib/mock-provider/recording/rules/rules.js';
import { FORGED_ID_TOKEN_FAULTS } from '../../../lib/mock-provider/recording/rules/token-rules.js';
import { code, expectSection, table } from '../../documents.js';
import { provider } from '../../helpers/provider.js';
import { api, basic, CHALLENGE, codeFields, REDIRECT_URI, registerStrict, send, token } from '../wire.js';
import { random, TestClient } from './test-client.js';

type Act = () => Promise<unknown>;

/** The requests of a client that violates a rule, and of one that follows it where `aCorrectClient` does not show that. */
interface Case {
  readonly violates: Act;
  readonly follows?: Act;
  /** A part of the message, when it differs from the rule's texts. */
  readonly message?: string;
}

const openid = () => new TestClient(provider);
const profileFlow = () => new TestClient(provider, 'profile');
const logins =
  (...each: Parameters<TestClient['code']>[0][]): Act =>
  async () => {
    for (const more of each) await openid().login(more);
  };
const metadata = '/.well-known/openid-configuration';
const colleagues =
  (interval: string): Act =>
  async () => {
    const { access_token } = await openid().login();
    for (let i = 0; i < 25; i += 1) {
      await api(provider, '/api/v1/colleagues?page=1', access_token);
      provider.clock.advance(interval);
    }
  };
const rateLimited =
  (wait: string): Act =>
  async () => {
    const tokens = await openid().login();
    provider.faults.next('rateLimited', { endpoint: '/api/v1/users/current' });
    await openid().profile(tokens);
    provider.clock.advance(wait);
    await openid().profile(tokens);
  };
const reads = async (path: string, count: number, interval: string) => {
  for (let i = 0; i < count; i += 1) {
    await send(provider, path);
    await openid().login();
    provider.clock.advance(interval);
  }
};
const silent =
  (interval: string): Act =>
  async () => {
    for (let i = 0; i < 6; i += 1) {
      await openid().authorize({ prompt: 'none' });
      provider.clock.advance(interval);
    }
  };
const withSecretToEncode =
  (authorizationOf: typeof basic): Act =>
  () => {
    const client = registerStrict(provider, 'openid', { clientSecret: 'a+secret' });
    return token(provider, undefined, codeFields(client, 'x'), { authorization: authorizationOf(client) });
  };
const rawBasic: typeof basic = ({ clientID, clientSecret }) =>
  `Basic ${Buffer.from(`${clientID}:${clientSecret}`).toString('base64')}`;
/** What browsers request by themselves. */
const BROWSER_PATHS = [
  ...['/favicon.ico', '/apple-touch-icon-precomposed.png', '/robots.txt', '/sw.js', '/.well-known/change-password'],
  ...['/.well-known/appspecific/com.chrome.devtools.json', '/.well-known/traffic-advice'],
];
const BROWSER_HEADERS = [
  { 'sec-fetch-dest': 'serviceworker', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'none' },
  { 'sec-fetch-dest': 'manifest' },
  { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' },
];

/** Two logins in each flow, with everything that a site does while a user is signed in, up to the sign-out. */
async function aCorrectClient(): Promise<void> {
  for (let count = 0; count < 2; count += 1) {
    const client = openid();
    await send(provider, metadata);
    let tokens = await client.login();
    const etag = (await client.profile(tokens)).headers.get('etag') ?? '';
    expect((await client.profile(tokens, { 'if-none-match': etag })).status).toBe(304);
    provider.clock.advance('31 minutes');
    await Promise.all([client.profile(tokens), client.profile(tokens)]);
    tokens = await client.refresh(await client.refresh(tokens));
    await api(provider, '/api/v1/colleagues', tokens.access_token);
    await client.revoke(tokens.access_token);
    await client.logout(tokens);
    await profileFlow().login();
    await profileFlow().authorize({ type: 'verify' });
  }
}

const CASES: Readonly<Record<string, Case>> = {
  'request-refused': {
    async violates() {
      const client = openid();
      await client.redeem(await client.code(), { code_verifier: undefined });
    },
    async follows() {
      await openid().authorize({ prompt: 'none' });
      for (const path of BROWSER_PATHS) await send(provider, path);
      for (const headers of BROWSER_HEADERS) await send(provider, '/unknown', { headers });
      provider.faults.next('codeRefused');
      await openid().login();
    },
    message: '/oauth/token refused: code_verifier is missing (request 5). Send the code_verifier of this login',
  },
  'state-missing': { violates: logins({ state: undefined }) },
  'state-reused': { violates: logins({ state: 'x'.repeat(40) }, { state: 'x'.repeat(40) }) },
  'state-too-short': { violates: logins({ state: 'abc12345' }), message: '8 characters' },
  'nonce-missing': { violates: logins({ nonce: undefined }) },
  'nonce-reused': { violates: logins({ nonce: 'n'.repeat(40) }, { nonce: 'n'.repeat(40) }) },
  'nonce-too-short': { violates: logins({ nonce: 'abc' }), message: '3 characters' },
  'pkce-reused': {
    async violates() {
      for (const _ of [1, 2]) await openid().authorize({ code_challenge: CHALLENGE });
    },
  },
  'redirect-uri-plain-http': {
    violates: () => openid().authorize({ redirect_uri: 'http://app.example/callback' }),
    async follows() {
      for (const address of ['http://[::1]:5001', 'http://app.localhost', 'http://web:3000', 'https://app.example']) {
        await openid().authorize({ redirect_uri: `${address}/callback` });
      }
    },
  },
  'silent-login-loop': { violates: silent('1 second'), follows: silent('1 minute') },
  'parameter-unknown': {
    violates: () => openid().authorize({ redirect_url: REDIRECT_URI }),
    follows: () => openid().authorize({ login_hint: 'verified', acr_values: 'x' }),
    message: '/oauth/authorize has no parameter redirect_url: did you mean redirect_uri?',
  },
  'secret-in-query': {
    async violates() {
      await send(provider, '/oauth/token?clientSecret=x', { method: 'POST' });
      await send(provider, '/oauth/userinfo?access_token=x');
    },
    message: 'A query contained clientSecret, access_token',
  },
  'credentials-out-of-place': {
    violates: () => send(provider, metadata, { headers: { authorization: 'Bearer x' } }),
  },
  'basic-not-encoded': { violates: withSecretToEncode(rawBasic), follows: withSecretToEncode(basic) },
  'code-reused': {
    async violates() {
      const client = openid();
      const code = await client.code();
      for (const _ of [1, 2]) await client.redeem(code);
    },
    async follows() {
      const client = openid();
      const code = await client.code();
      provider.faults.next('responseLost');
      await client.redeem(code).catch(() => undefined);
      await client.redeem(code);
    },
  },
  'code-not-redeemed': { violates: () => openid().code() },
  'refresh-token-reused': {
    async violates() {
      const tokens = await openid().login();
      provider.clock.advance('29 minutes');
      await Promise.all([openid().refresh(tokens), openid().refresh(tokens)]);
    },
  },
  'token-after-revocation': {
    async violates() {
      const tokens = await openid().login();
      await openid().revoke(tokens.refresh_token);
      await openid().profile(tokens);
    },
  },
  'expired-token-reused': {
    async violates() {
      const tokens = await openid().login();
      provider.clock.advance('31 minutes');
      for (const _ of [1, 2, 3]) await openid().profile(tokens);
    },
    message: '3 times',
  },
  'refused-grant-repeated': {
    async violates() {
      for (const _ of [1, 2]) await openid().redeem('nothing');
    },
    follows: () => openid().redeem('nothing'),
  },
  'forged-id-token-accepted': {
    async violates() {
      provider.faults.next('badSignature');
      await openid().profile(await openid().login());
    },
    async follows() {
      provider.faults.next('badSignature');
      await openid().revoke((await openid().login()).refresh_token);
    },
    message: 'badSignature',
  },
  'tokens-not-revoked': { violates: async () => openid().logout(await openid().login()) },
  'logout-without-state': {
    violates: async () => openid().logout(await openid().login(), { state: undefined }),
  },
  'rate-limit-ignored': { violates: rateLimited('5 seconds'), follows: rateLimited('2 hours') },
  'profile-unconditional': {
    async violates() {
      const tokens = await openid().login();
      for (const _ of [1, 2]) await openid().profile(tokens);
    },
  },
  'colleagues-too-fast': { violates: colleagues('1 ms'), follows: colleagues('1 second') },
  'documents-not-cached': {
    violates: () => reads('/.well-known/jwks.json', 4, '1 second'),
    async follows() {
      await reads(metadata, 4, '6 minutes');
      await reads('/.well-known/jwks.json', 2, '1 second');
    },
    message: '/.well-known/jwks.json was read 4 times in 4 logins',
  },
  'client-id-with-basic': {
    async violates() {
      const client = openid();
      await client.redeem(await client.code(), { client_id: provider.clients.openid.clientID });
    },
    message: 'This differs from the service',
  },
  'charset-missing': {
    violates() {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      return token(provider, provider.clients.openid, { grant_type: 'refresh_token', refresh_token: 'x' }, form);
    },
    message: 'This differs from the service',
  },
  'parameter-not-in-spec': {
    async violates() {
      await openid().authorize({ max_age: '600', login_hint: 'verified', type: 'verify' });
      await profileFlow().authorize({ code_challenge: CHALLENGE, code_challenge_method: 'S256', nonce: random() });
      await openid().authorizeByPOST();
    },
    message: 'This differs from the service: max_age, login_hint, type, code_challenge, nonce, a POST was sent',
  },
};

beforeEach(() => provider.clock.freeze());

test('docs/assurance/report.md contains the table of the rules', () => {
  const rows = REPORT_RULES.map(({ id, requirement, severity }) => [code(id), requirement, severity]);
  const rules = `\n${table(['rule', 'requirement', 'severity'], rows)}`;
  expectSection('docs/assurance/report.md', 'rules', rules, 'npm run docs:report');
});

test('each rule has a case in this file', () => {
  expect(Object.keys(CASES).sort()).toEqual(REPORT_RULES.map(({ id }) => id).sort());
});

test('a client that follows every rule has no finding', async () => {
  await aCorrectClient();
  const { findings, passed } = provider.report();
  expect(findings).toEqual([]);
  const seen = Object.keys(CASES).filter((id) => CASES[id]?.follows === undefined);
  expect(passed).toEqual(expect.arrayContaining(seen));
});

test('an authorization request by POST violates the same rules as one by GET', async () => {
  const weak = { state: 'x', nonce: 'x', prompt: 'none', redirect_uri: 'http://app.example/cb', redirect_url: 'x' };
  const rulesAfter = async (request: 'authorize' | 'authorizeByPOST') => {
    provider.reset();
    for (let i = 0; i < 6; i += 1) await openid()[request]({ ...weak, code_challenge: CHALLENGE });
    for (let i = 0; i < 6; i += 1) await openid()[request]({ prompt: 'none' });
    await openid()[request]({ state: undefined, nonce: undefined });
    return provider.report().findings.map(({ rule }) => rule);
  };
  const byGET = await rulesAfter('authorize');
  expect(byGET.length).toBeGreaterThanOrEqual(10);
  expect(await rulesAfter('authorizeByPOST')).toEqual([...byGET, 'parameter-not-in-spec']);
});

test('forged-id-token-accepted names only faults that exist', () => {
  expect(FORGED_ID_TOKEN_FAULTS.size).toBeGreaterThan(15);
  expect([...FORGED_ID_TOKEN_FAULTS].filter((fault) => !(fault in FAULTS))).toEqual([]);
});

describe.each(Object.entries(CASES))('the rule %s', (id, { violates, follows, message = '' }) => {
  const rule = REPORT_RULES.find((one) => one.id === id);
  const describesRefusals = id === 'request-refused';

  test('reports a client that violates it, with the requests', async () => {
    await violates();
    const findings = provider.report().findings.filter((one) => one.rule === id);
    expect(findings).toEqual([
      { ...findings[0], rule: id, severity: rule?.severity, ...(!describesRefusals && { source: rule?.source }) },
    ]);
    const [finding] = findings;
    expect(finding?.message).toContain(message);
    if (!describesRefusals) expect(finding?.message).toContain(rule?.fix);
    expect(finding?.requests.length).toBeGreaterThan(0);
    expect(finding?.message).toContain(`(request${finding?.requests.length === 1 ? '' : 's'} ${finding?.requests[0]}`);
    expect(provider.requests.map(({ number }) => number)).toEqual(
      expect.arrayContaining([...(finding?.requests ?? [])]),
    );
  });

  if (follows === undefined) return;

  test('passes a client that follows it', async () => {
    await follows();
    const { findings, passed } = provider.report();
    expect(findings.filter((one) => one.rule === id)).toEqual([]);
    expect(passed).toContain(id);
  });
});

test.each<[string, Act]>([
  ['/oauth2/token', () => send(provider, '/oauth2/token')],
  ['/authorize', () => send(provider, '/authorize', { headers: { 'sec-fetch-dest': 'document' } })],
  ['/sw.js', () => send(provider, '/sw.js', { method: 'POST' })],
])('request-refused reports the unknown path %s, which no browser requests by itself', async (path, violates) => {
  await violates();
  const found = provider.report().findings.filter(({ rule }) => rule === 'request-refused');
  expect(found).toMatchObject([{ severity: 'error', message: expect.stringContaining(path) }]);
});

test('provider.report() formats as text and as JSON', async () => {
  await logins({ state: undefined })();
  const report = provider.report();
  expect(JSON.parse(JSON.stringify(report))).toEqual({ ...report });
  expect(String(report)).toContain(
    'ERROR state-missing (RFC 6749 section 10.12)\n  state was missing (request 1). Send a random state, store it',
  );
  expect(String(report)).toMatch(/\d+ rules passed: .*nonce-missing/);
  expect(String(report)).toMatch(/\d+ rules not checked, because no request was seen: .*logout-without-state/);
});
