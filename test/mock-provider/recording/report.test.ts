import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { RULES } from '../../../lib/mock-provider/recording/rules/rules.js';
import { api, authorize, basic, codeFields, post, REDIRECT_URI, send, strict, token } from '../wire.js';
import { random, TestClient } from './test-client.js';

type Act = (provider: MockProvider) => Promise<unknown>;

/** What a client does that breaks a rule, and what one does that keeps it. */
interface Case {
  readonly breaks: Act;
  readonly keeps: Act;
  /** What the message says besides. */
  readonly says?: string;
}

const openid = (provider: MockProvider) => new TestClient(provider);
const logins =
  (...each: Parameters<TestClient['code']>[0][]): Act =>
  async (provider) => {
    for (const more of each) await openid(provider).login(more);
  };
const twice = logins({}, {});
const once = logins({});
const metadata = '/.well-known/openid-configuration';
const colleagues =
  (query: string, times: number, between: string): Act =>
  async (provider) => {
    provider.clock.freeze();
    const { access_token } = await openid(provider).login();
    for (let turn = 0; turn < times; turn += 1) {
      await api(provider, `/api/v1/colleagues?${query}`, access_token);
      provider.clock.advance(between);
    }
  };
const limited =
  (wait: string): Act =>
  async (provider) => {
    const { access_token } = await openid(provider).login();
    provider.faults.next('rateLimited', { endpoint: '/api/v1/users/current', window: '60 seconds' });
    await api(provider, '/api/v1/users/current', access_token);
    provider.clock.advance(wait);
    await api(provider, '/api/v1/users/current', access_token);
  };
const rawBasic = ({ clientID, clientSecret }: { clientID: string; clientSecret: string }) =>
  `Basic ${Buffer.from(`${clientID}:${clientSecret}`).toString('base64')}`;
const reads =
  (path: string, times: number, between: string, alone: boolean): Act =>
  async (provider) => {
    provider.clock.freeze();
    for (let turn = 0; turn < times; turn += 1) {
      await send(provider, path);
      if (!alone) await openid(provider).login();
      provider.clock.advance(between);
    }
  };
const silent =
  (between: string): Act =>
  async (provider) => {
    provider.clock.freeze();
    for (let turn = 0; turn < 6; turn += 1) {
      await openid(provider).ask({ prompt: 'none' });
      provider.clock.advance(between);
    }
  };
const framed =
  (dest: string): Act =>
  (provider) =>
    openid(provider).ask({}, { 'sec-fetch-dest': dest });

const CASES: Readonly<Record<string, Case>> = {
  'request-refused': {
    breaks: async (provider) => {
      const client = openid(provider);
      await client.redeem(await client.code(), { code_verifier: undefined });
    },
    keeps: async (provider) => {
      await openid(provider).ask({ prompt: 'none' });
      await send(provider, '/favicon.ico'); // a browser's own doing
      await send(provider, '/.well-known/appspecific/com.chrome.devtools.json');
      provider.faults.next('codeRefused');
      await openid(provider).login();
    },
    says: '/oauth/token refused: code_verifier is missing (request 5). Send the code_verifier of this login',
  },
  'state-missing': { breaks: logins({ state: undefined }), keeps: once },
  'state-reused': {
    breaks: async (provider) => logins({ state: 'x'.repeat(40) }, { state: 'x'.repeat(40) })(provider),
    keeps: twice,
  },
  'state-too-short': { breaks: logins({ state: 'abc12345' }), keeps: once, says: '8 characters' },
  'state-guessable': {
    breaks: logins({ state: 'login-of-the-site-0000000000000001' }, { state: 'login-of-the-site-0000000000000002' }),
    keeps: twice,
  },
  'nonce-missing': { breaks: logins({ nonce: undefined }), keeps: once },
  'nonce-reused': { breaks: logins({ nonce: 'n'.repeat(40) }, { nonce: 'n'.repeat(40) }), keeps: twice },
  'nonce-too-short': { breaks: logins({ nonce: 'abc' }), keeps: once, says: '3 characters' },
  'pkce-missing': { breaks: (provider) => openid(provider).ask({ code_challenge: undefined }), keeps: once },
  'pkce-reused': {
    breaks: async (provider) => {
      const same = openid(provider).parameters().code_challenge;
      for (const _ of [1, 2]) await openid(provider).ask({ code_challenge: same });
    },
    keeps: twice,
  },
  'redirect-uri-plain-http': {
    breaks: (provider) => openid(provider).ask({ redirect_uri: 'http://app.example/callback' }),
    keeps: async (provider) => {
      await openid(provider).ask({ redirect_uri: 'http://[::1]:5001/callback' });
      await openid(provider).ask({ redirect_uri: 'https://app.example/callback' });
    },
  },
  'scope-not-allowed': {
    breaks: (provider) => new TestClient(provider, 'openid', strict(provider, 'openid')).ask({ scope: 'openid basic' }),
    keeps: once,
  },
  'response-mode-fragment': {
    breaks: logins({ response_mode: 'fragment' }),
    keeps: logins({ response_mode: 'query' }),
  },
  'page-framed': { breaks: framed('iframe'), keeps: framed('document') },
  'silent-login-loop': { breaks: silent('1 second'), keeps: silent('1 minute') },
  'parameter-unknown': {
    breaks: (provider) => openid(provider).ask({ redirect_url: REDIRECT_URI }),
    keeps: (provider) => openid(provider).ask({ login_hint: 'verified', acr_values: 'x' }),
    says: '/oauth/authorize knows no parameter redirect_url: did you mean redirect_uri?',
  },
  'parameter-repeated': { breaks: (provider) => openid(provider).ask({ prompt: ['login', 'consent'] }), keeps: once },
  'secret-in-query': {
    breaks: (provider) => send(provider, '/oauth/token?client_secret=x', { method: 'POST' }),
    keeps: once,
    says: 'client_secret stood in a query',
  },
  'token-in-query': {
    breaks: (provider) => send(provider, '/oauth/userinfo?access_token=x'),
    keeps: async (provider) => openid(provider).logout(await openid(provider).login()),
  },
  'credentials-out-of-place': {
    breaks: (provider) => send(provider, metadata, { headers: { authorization: 'Bearer x' } }),
    keeps: (provider) => send(provider, metadata),
  },
  'secret-in-body': {
    breaks: (provider) => {
      const { clientID, clientSecret } = provider.clients.openid;
      return token(provider, undefined, { client_id: clientID, client_secret: clientSecret, grant_type: 'x' });
    },
    keeps: once,
  },
  'basic-not-encoded': {
    breaks: (provider) => {
      const client = strict(provider, 'openid', { clientSecret: 'a+secret' });
      return token(provider, undefined, codeFields(client, 'x'), { authorization: rawBasic(client) });
    },
    keeps: (provider) => {
      const client = strict(provider, 'openid', { clientSecret: 'a+secret' });
      return token(provider, client, codeFields(client, 'x'), { authorization: basic(client) });
    },
  },
  'code-reused': {
    breaks: async (provider) => {
      const client = openid(provider);
      const code = await client.code();
      for (const _ of [1, 2]) await client.redeem(code);
    },
    keeps: async (provider) => {
      const client = openid(provider);
      const code = await client.code();
      provider.faults.next('responseLost');
      await client.redeem(code).catch(() => undefined);
      await client.redeem(code);
    },
  },
  'code-not-redeemed': { breaks: (provider) => openid(provider).code(), keeps: once },
  'code-redeemed-late': {
    breaks: async (provider) => {
      const client = openid(provider);
      const code = await client.code();
      provider.clock.advance('2 minutes');
      await client.redeem(code);
    },
    keeps: once,
  },
  'redirect-uri-differs': {
    breaks: async (provider) => {
      const client = openid(provider);
      await client.redeem(await client.code(), { redirect_uri: 'http://127.0.0.1:5001/other' });
    },
    keeps: once,
  },
  'refresh-token-reused': {
    breaks: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      provider.clock.advance('29 minutes');
      await Promise.all([client.refresh(tokens), client.refresh(tokens)]);
    },
    keeps: async (provider) => {
      const client = openid(provider);
      await client.refresh(await client.refresh(await client.login()));
    },
  },
  'refreshed-early': {
    breaks: async (provider) => openid(provider).refresh(await openid(provider).login()),
    keeps: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      provider.clock.advance('29 minutes');
      const next = await client.refresh(tokens);
      provider.faults.next('accessTokenRefused', { endpoint: '/api/v1/users/current' });
      expect((await client.profile(next)).status).toBe(401);
      await client.refresh(next);
    },
  },
  'token-after-revocation': {
    breaks: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      await client.revoke(tokens.refresh_token);
      await client.profile(tokens);
    },
    keeps: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      await client.profile(tokens);
      await client.revoke(tokens.refresh_token);
      await client.profile(await client.login());
    },
  },
  'expired-token-reused': {
    breaks: async (provider) => {
      const tokens = await openid(provider).login();
      provider.clock.advance('31 minutes');
      for (const _ of [1, 2, 3]) await openid(provider).profile(tokens);
    },
    keeps: async (provider) => {
      const client = openid(provider);
      const tokens = await client.login();
      provider.clock.advance('31 minutes');
      await Promise.all([client.profile(tokens), client.profile(tokens)]);
      await client.profile(await client.refresh(tokens));
    },
    says: '3 times',
  },
  'refused-grant-repeated': {
    breaks: async (provider) => {
      for (const _ of [1, 2]) await openid(provider).redeem('nothing');
    },
    keeps: (provider) => openid(provider).redeem('nothing'),
  },
  'forged-id-token-accepted': {
    breaks: async (provider) => {
      provider.faults.next('badSignature');
      await openid(provider).profile(await openid(provider).login());
    },
    keeps: async (provider) => {
      provider.faults.next('badSignature');
      await openid(provider).revoke((await openid(provider).login()).refresh_token);
    },
    says: 'badSignature',
  },
  'tokens-not-revoked': {
    breaks: async (provider) => openid(provider).logout(await openid(provider).login()),
    keeps: async (provider) => {
      const tokens = await openid(provider).login();
      await openid(provider).revoke(tokens.access_token);
      await openid(provider).logout(tokens);
    },
  },
  'pair-revoked-twice': {
    breaks: async (provider) => {
      const tokens = await openid(provider).login();
      await openid(provider).revoke(tokens.access_token);
      await openid(provider).revoke(tokens.refresh_token);
    },
    keeps: async (provider) => {
      for (const _ of [1, 2]) await openid(provider).revoke((await openid(provider).login()).refresh_token);
    },
  },
  'logout-without-hint': {
    breaks: (provider) => send(provider, '/oauth/logout'),
    keeps: async (provider) => openid(provider).logout(await openid(provider).login()),
  },
  'logout-without-state': {
    breaks: async (provider) => openid(provider).logout(await openid(provider).login(), { state: undefined }),
    keeps: async (provider) => openid(provider).logout(await openid(provider).login()),
  },
  'rate-limit-ignored': { breaks: limited('5 seconds'), keeps: limited('2 minutes') },
  'profile-unconditional': {
    breaks: async (provider) => {
      const tokens = await openid(provider).login();
      for (const _ of [1, 2]) await openid(provider).profile(tokens);
    },
    keeps: async (provider) => {
      const tokens = await openid(provider).login();
      const etag = (await openid(provider).profile(tokens)).headers.get('etag') ?? '';
      expect((await openid(provider).profile(tokens, { 'if-none-match': etag })).status).toBe(304);
    },
  },
  'colleagues-storm': { breaks: colleagues('page=1', 25, '1 ms'), keeps: colleagues('page=1', 25, '1 second') },
  'colleagues-page-size': {
    breaks: colleagues('per_page=1000', 1, '1 second'),
    keeps: colleagues('per_page=100', 6, '1 second'),
    says: 'per_page was 1000',
  },
  'metadata-not-kept': { breaks: reads(metadata, 4, '1 second', false), keeps: reads(metadata, 4, '6 minutes', false) },
  'keys-not-kept': {
    breaks: reads('/.well-known/jwks.json', 4, '1 second', false),
    keeps: reads('/.well-known/jwks.json', 2, '1 second', false),
  },
  'session-check-reloaded': {
    breaks: reads('/oauth/session_state', 12, '1 second', true),
    keeps: reads('/oauth/session_state', 12, '10 seconds', true),
  },
};

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
beforeEach(() => provider.reset());
afterAll(() => provider.stop());

test('every rule has a case, and is in the documentation', () => {
  expect(RULES.length).toBeGreaterThanOrEqual(20);
  expect(Object.keys(CASES)).toEqual(RULES.map(({ id }) => id));
  const documentation = readFileSync(new URL('../../../docs/report.md', import.meta.url), 'utf8');
  for (const { id, severity, requirement: says, source } of RULES)
    expect(documentation).toContain(`| \`${id}\` | ${says} | ${source} | ${severity} |`);
});

describe.each(Object.entries(CASES))('the rule %s', (id, { breaks, keeps, says = '' }) => {
  const rule = RULES.find((one) => one.id === id);

  test('sees a client that breaks it', async () => {
    await breaks(provider);
    const report = provider.report();
    const [finding, ...more] = report.findings.filter((one) => one.rule === id);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ rule: id, severity: rule?.severity });
    if (id !== 'request-refused') expect(finding?.source).toBe(rule?.source);
    expect(finding?.message).toContain(says);
    if (id !== 'request-refused') expect(finding?.message).toContain(rule?.fix);
    expect(finding?.message).toContain(`(request${finding?.requests.length === 1 ? '' : 's'} ${finding?.requests[0]}`);
    const recorded = provider.requests.map(({ number }) => number);
    expect(finding?.requests.length).toBeGreaterThan(0);
    for (const number of finding?.requests ?? []) expect(recorded).toContain(number);
  });

  test('lets a client pass that keeps it', async () => {
    await keeps(provider);
    const { findings, passed } = provider.report();
    expect(findings.filter((one) => one.rule === id)).toEqual([]);
    expect(passed).toContain(id);
  });
});

describe('provider.report()', () => {
  test('of nothing says that nothing was seen', () => {
    const report = provider.report();
    expect(report).toEqual({ findings: [], passed: [], notChecked: RULES.map(({ id }) => id) });
    expect(String(report)).toContain('The client under test: 0 errors, 0 warnings.');
  });

  test('is a text to read, and JSON', async () => {
    await logins({ state: undefined })(provider);
    const report = provider.report();
    expect(JSON.parse(JSON.stringify(report))).toEqual({ ...report });
    expect(String(report)).toContain(
      'ERROR state-missing (RFC 6749 section 10.12)\n  There was no state (request 1). Send a random state, keep it',
    );
    expect(String(report)).toMatch(/\d+ rules held: .*nonce-missing/);
    expect(String(report)).toMatch(/\d+ rules not checked, as nothing was seen: .*logout-without-hint/);
  });

  test('many breaches of a rule are one finding', async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      const state = random();
      for (const _ of [1, 2]) await openid(provider).ask({ state });
    }
    const found = provider.report().findings.filter(({ rule }) => rule === 'state-reused');
    expect(found).toHaveLength(1);
    expect(found[0]?.requests).toHaveLength(12);
    expect(found[0]?.message).toContain('and so on 5 times more (requests 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more)');
  });

  test('decision 7: no secret is in it, whatever a client did with its secrets', async () => {
    const planted = 'planted-0123456789-0123456789';
    const client = strict(provider, 'openid', { clientSecret: planted });
    const test = new TestClient(provider, 'openid', client);
    const scope = 'openid';
    const tokens = await test.login({ scope, state: planted, nonce: planted });
    await test.ask({
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

  test('after reset() there is nothing to say', async () => {
    await logins({ state: undefined })(provider);
    provider.reset();
    expect(provider.report().findings).toEqual([]);
  });
});
