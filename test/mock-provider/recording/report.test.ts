import { beforeEach, describe, expect, test } from '@jest/globals';
import { FAULTS, type MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { REPORT_RULES } from '../../../lib/mock-provider/recording/rules/rules.js';
import { FORGED_ID_TOKEN_FAULTS } from '../../../lib/mock-provider/recording/rules/token-rules.js';
import { expectSection } from '../../documents.js';
import { provider } from '../../helpers/provider.js';
import {
  api,
  authorize,
  basic,
  CHALLENGE,
  codeFields,
  post,
  REDIRECT_URI,
  registerStrict,
  send,
  token,
} from '../wire.js';
import { rulesSection } from './report-document.js';
import { random, TestClient } from './test-client.js';

type Act = (provider: MockProvider) => Promise<unknown>;

/** The requests of a client that violates a rule, and of one that follows it. */
interface Case {
  readonly violates: Act;
  readonly follows: Act;
  /** A part of the message, when it differs from the rule's texts. */
  readonly message?: string;
}

const openid = (provider: MockProvider) => new TestClient(provider);
const logins =
  (...each: Parameters<TestClient['code']>[0][]): Act =>
  async (provider) => {
    for (const more of each) await openid(provider).login(more);
  };
const twoLogins = logins({}, {});
const oneLogin = logins({});
const profileLogin: Act = (provider) => new TestClient(provider, 'profile').login();
const metadata = '/.well-known/openid-configuration';
const colleagues =
  (query: string, count: number, interval: string): Act =>
  async (provider) => {
    const { access_token } = await openid(provider).login();
    for (let i = 0; i < count; i += 1) {
      await api(provider, `/api/v1/colleagues?${query}`, access_token);
      provider.clock.advance(interval);
    }
  };
const rateLimited =
  (wait: string): Act =>
  async (provider) => {
    const { access_token } = await openid(provider).login();
    provider.faults.next('rateLimited', { endpoint: '/api/v1/users/current' });
    await api(provider, '/api/v1/users/current', access_token);
    provider.clock.advance(wait);
    await api(provider, '/api/v1/users/current', access_token);
  };
const rawBasic = ({ clientID, clientSecret }: { clientID: string; clientSecret: string }) =>
  `Basic ${Buffer.from(`${clientID}:${clientSecret}`).toString('base64')}`;
const reads =
  (path: string, count: number, interval: string): Act =>
  async (provider) => {
    for (let i = 0; i < count; i += 1) {
      await send(provider, path);
      await openid(provider).login();
      provider.clock.advance(interval);
    }
  };
const silent =
  (interval: string): Act =>
  async (provider) => {
    for (let i = 0; i < 6; i += 1) {
      await openid(provider).authorize({ prompt: 'none' });
      provider.clock.advance(interval);
    }
  };
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
const CASES: Readonly<Record<string, Case>> = {
  'request-refused': {
    violates: async (provider) => {
      const client = openid(provider);
      await client.redeem(await client.code(), { code_verifier: undefined });
    },
    follows: async (provider) => {
      await openid(provider).authorize({ prompt: 'none' });
      for (const path of BROWSER_PATHS) await send(provider, path);
      for (const headers of BROWSER_HEADERS) await send(provider, '/unknown', { headers });
      provider.faults.next('codeRefused');
      await openid(provider).login();
    },
    message: '/oauth/token refused: code_verifier is missing (request 5). Send the code_verifier of this login',
  },
  'state-missing': { violates: logins({ state: undefined }), follows: oneLogin },
  'state-reused': {
    violates: async (provider) => logins({ state: 'x'.repeat(40) }, { state: 'x'.repeat(40) })(provider),
    follows: twoLogins,
  },
  'state-too-short': { violates: logins({ state: 'abc12345' }), follows: oneLogin, message: '8 characters' },
  'nonce-missing': { violates: logins({ nonce: undefined }), follows: oneLogin },
  'nonce-reused': { violates: logins({ nonce: 'n'.repeat(40) }, { nonce: 'n'.repeat(40) }), follows: twoLogins },
  'nonce-too-short': { violates: logins({ nonce: 'abc' }), follows: oneLogin, message: '3 characters' },
  'pkce-reused': {
    violates: async (provider) => {
      const same = openid(provider).parameters().code_challenge;
      for (const _ of [1, 2]) await openid(provider).authorize({ code_challenge: same });
    },
    follows: twoLogins,
  },
  'redirect-uri-plain-http': {
    violates: (provider) => openid(provider).authorize({ redirect_uri: 'http://app.example/callback' }),
    follows: async (provider) => {
      for (const host of ['[::1]:5001', 'app.localhost', 'web:3000']) {
        await openid(provider).authorize({ redirect_uri: `http://${host}/callback` });
      }
      await openid(provider).authorize({ redirect_uri: 'https://app.example/callback' });
    },
  },
  'silent-login-loop': { violates: silent('1 second'), follows: silent('1 minute') },
  'parameter-unknown': {
    violates: (provider) => openid(provider).authorize({ redirect_url: REDIRECT_URI }),
    follows: (provider) => openid(provider).authorize({ login_hint: 'verified', acr_values: 'x' }),
    message: '/oauth/authorize has no parameter redirect_url: did you mean redirect_uri?',
  },
  'secret-in-query': {
    violates: async (provider) => {
      await send(provider, '/oauth/token?clientSecret=x', { method: 'POST' });
      await send(provider, '/oauth/userinfo?access_token=x');
    },
    follows: async (provider) => openid(provider).logout(await openid(provider).login()),
    message: 'A query contained clientSecret, access_token',
  },
  'credentials-out-of-place': {
    violates: (provider) => send(provider, metadata, { headers: { authorization: 'Bearer x' } }),
    follows: (provider) => send(provider, metadata),
  },
  'basic-not-encoded': {
    violates: (provider) => {
      const client = registerStrict(provider, 'openid', { clientSecret: 'a+secret' });
      return token(provider, undefined, codeFields(client, 'x'), { authorization: rawBasic(client) });
    },
    follows: (provider) => {
      const client = registerStrict(provider, 'openid', { clientSecret: 'a+secret' });
      return token(provider, client, codeFields(client, 'x'), { authorization: basic(client) });
    },
  },
  'code-reused': {
    violates: async (provider) => {
      const client = openid(provider);
      const code = await client.code();
      for (const _ of [1, 2]) await client.redeem(code);
    },
    follows: async (provider) => {
      const client = openid(provider);
      const code = await client.code();
      provider.faults.next('responseLost');
      await client.redeem(code).catch(() => undefined);
      await client.redeem(code);
    },
  },
  'code-not-redeemed': { violates: (provider) => openid(provider).code(), follows: oneLogin },
  'refresh-token-reused': {
    violates: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      provider.clock.advance('29 minutes');
      await Promise.all([client.refresh(tokens), client.refresh(tokens)]);
    },
    follows: async (provider) => {
      const client = openid(provider);
      await client.refresh(await client.refresh(await client.login()));
    },
  },
  'token-after-revocation': {
    violates: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      await client.revoke(tokens.refresh_token);
      await client.profile(tokens);
    },
    follows: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      await client.profile(tokens);
      await client.revoke(tokens.refresh_token);
      await client.profile(await client.login());
    },
  },
  'expired-token-reused': {
    violates: async (provider) => {
      const tokens = await openid(provider).login();
      provider.clock.advance('31 minutes');
      for (const _ of [1, 2, 3]) await openid(provider).profile(tokens);
    },
    follows: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      provider.clock.advance('31 minutes');
      await Promise.all([client.profile(tokens), client.profile(tokens)]);
      await client.profile(await client.refresh(tokens));
    },
    message: '3 times',
  },
  'refused-grant-repeated': {
    violates: async (provider) => {
      for (const _ of [1, 2]) await openid(provider).redeem('nothing');
    },
    follows: (provider) => openid(provider).redeem('nothing'),
  },
  'forged-id-token-accepted': {
    violates: async (provider) => {
      provider.faults.next('badSignature');
      await openid(provider).profile(await openid(provider).login());
    },
    follows: async (provider) => {
      provider.faults.next('badSignature');
      await openid(provider).revoke((await openid(provider).login()).refresh_token);
    },
    message: 'badSignature',
  },
  'tokens-not-revoked': {
    violates: async (provider) => openid(provider).logout(await openid(provider).login()),
    follows: async (provider) => {
      const tokens = await openid(provider).login();
      await openid(provider).revoke(tokens.access_token);
      await openid(provider).logout(tokens);
    },
  },
  'logout-without-state': {
    violates: async (provider) => openid(provider).logout(await openid(provider).login(), { state: undefined }),
    follows: async (provider) => openid(provider).logout(await openid(provider).login()),
  },
  'rate-limit-ignored': { violates: rateLimited('5 seconds'), follows: rateLimited('2 hours') },
  'profile-unconditional': {
    violates: async (provider) => {
      const tokens = await openid(provider).login();
      for (const _ of [1, 2]) await openid(provider).profile(tokens);
    },
    follows: async (provider) => {
      const tokens = await openid(provider).login();
      const etag = (await openid(provider).profile(tokens)).headers.get('etag') ?? '';
      expect((await openid(provider).profile(tokens, { 'if-none-match': etag })).status).toBe(304);
    },
  },
  'colleagues-too-fast': { violates: colleagues('page=1', 25, '1 ms'), follows: colleagues('page=1', 25, '1 second') },
  'documents-not-cached': {
    violates: reads('/.well-known/jwks.json', 4, '1 second'),
    follows: async (provider) => {
      await reads(metadata, 4, '6 minutes')(provider);
      await reads('/.well-known/jwks.json', 2, '1 second')(provider);
    },
    message: '/.well-known/jwks.json was read 4 times in 4 logins',
  },
  'client-id-with-basic': {
    violates: async (provider) => {
      const client = openid(provider);
      await client.redeem(await client.code(), { client_id: provider.clients.openid.clientID });
    },
    follows: async (provider) => {
      await oneLogin(provider);
      await profileLogin(provider);
    },
    message: 'This differs from the service',
  },
  'charset-missing': {
    violates: (provider) => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      return token(provider, provider.clients.openid, { grant_type: 'refresh_token', refresh_token: 'x' }, form);
    },
    follows: async (provider) => openid(provider).revoke((await openid(provider).login()).refresh_token),
    message: 'This differs from the service',
  },
  'parameter-not-in-spec': {
    violates: async (provider) => {
      await openid(provider).authorize({ max_age: '600', login_hint: 'verified', type: 'verify' });
      await new TestClient(provider, 'profile').authorize({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
      await new TestClient(provider, 'profile').authorize({ nonce: random() });
      await openid(provider).authorizeByPOST();
    },
    follows: async (provider) => {
      await oneLogin(provider);
      await new TestClient(provider, 'profile').authorize({ type: 'verify' });
    },
    message: 'This differs from the service: max_age, login_hint, type, code_challenge, nonce, a POST was sent',
  },
};

beforeEach(() => provider.clock.freeze());

test('docs/assurance/report.md contains the table of the rules', () => {
  expectSection('docs/assurance/report.md', 'rules', rulesSection(), 'npm run docs:report');
});

describe('the rules', () => {
  const ids = REPORT_RULES.map(({ id }) => id);

  test('have unique kebab-case ids, and a case each in this file', () => {
    expect(ids.length).toBeGreaterThanOrEqual(30);
    expect(ids).toEqual([...new Set(ids)]);
    const malformed = ids.filter((id) => !/^[a-z]+(-[a-z]+)+$/.test(id));
    const withoutCase = ids.filter((id) => !(id in CASES));
    const withoutRule = Object.keys(CASES).filter((id) => !ids.includes(id));
    expect({ malformed, withoutCase, withoutRule }).toEqual({ malformed: [], withoutCase: [], withoutRule: [] });
  });

  test('have a requirement, a fix and a source', () => {
    const source = /^(RFC \d+ section |OpenID Connect |OAuth 2\.0 |service spec: )/;
    const wrong = REPORT_RULES.filter(
      (rule) => !(/^\S.*[^.]\.$/.test(rule.requirement) && /^\S.*[^.]\.$/.test(rule.fix) && source.test(rule.source)),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});

test('an authorization request by POST violates the same rules as one by GET', async () => {
  const weak = { state: 'x', nonce: 'x', prompt: 'none', redirect_uri: 'http://app.example/cb', redirect_url: 'x' };
  const rulesAfter = async (request: 'authorize' | 'authorizeByPOST') => {
    provider.reset();
    for (let i = 0; i < 6; i += 1) await openid(provider)[request]({ ...weak, code_challenge: CHALLENGE });
    for (let i = 0; i < 6; i += 1) await openid(provider)[request]({ prompt: 'none' });
    await openid(provider)[request]({ state: undefined, nonce: undefined });
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
    await violates(provider);
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

  test('passes a client that follows it', async () => {
    await follows(provider);
    const { findings, passed } = provider.report();
    expect(findings.filter((one) => one.rule === id)).toEqual([]);
    expect(passed).toContain(id);
  });
});

test.each<[string, Act]>([
  ['/oauth2/token', (provider) => send(provider, '/oauth2/token')],
  ['/authorize', (provider) => send(provider, '/authorize', { headers: { 'sec-fetch-dest': 'document' } })],
  ['/sw.js', (provider) => send(provider, '/sw.js', { method: 'POST' })],
])('request-refused reports the unknown path %s, which no browser requests by itself', async (path, violates) => {
  await violates(provider);
  const found = provider.report().findings.filter(({ rule }) => rule === 'request-refused');
  expect(found).toMatchObject([{ severity: 'error', message: expect.stringContaining(path) }]);
});

describe('provider.report()', () => {
  test('formats as text and as JSON', async () => {
    await logins({ state: undefined })(provider);
    const report = provider.report();
    expect(JSON.parse(JSON.stringify(report))).toEqual({ ...report });
    expect(String(report)).toContain(
      'ERROR state-missing (RFC 6749 section 10.12)\n  state was missing (request 1). Send a random state, store it',
    );
    expect(String(report)).toMatch(/\d+ rules passed: .*nonce-missing/);
    expect(String(report)).toMatch(/\d+ rules not checked, because no request was seen: .*logout-without-state/);
  });

  test('contains no secret, even when the client sends secrets in wrong parameters', async () => {
    const planted = 'planted-0123456789-0123456789';
    const client = registerStrict(provider, 'openid', { clientSecret: planted });
    const site = new TestClient(provider, 'openid', client);
    const scope = 'openid';
    const tokens = await site.login({ scope, state: planted, nonce: planted });
    await site.authorize({
      scope,
      state: planted,
      nonce: planted,
      prompt: [planted, 'x'],
      [planted]: '1',
      login_hint: planted,
    });
    await token(provider, undefined, { client_id: client.clientID, client_secret: planted, grant_type: planted });
    await send(provider, `/oauth/userinfo?access_token=${tokens.access_token}&secret=${planted}`);
    await post(provider, '/oauth/token', client, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    await authorize(provider, client, { redirect_uri: `${REDIRECT_URI}?x=${planted}` });
    const report = provider.report();
    expect(report.findings.length).toBeGreaterThan(6);
    for (const secret of ['planted-', tokens.access_token, tokens.refresh_token, tokens.id_token]) {
      expect(JSON.stringify(report) + String(report)).not.toContain(secret);
    }
  });
});
