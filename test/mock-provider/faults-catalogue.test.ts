import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  FAULTS,
  type FaultAlias,
  type FaultName,
  type MockProvider,
  startMockProvider,
} from '../../lib/mock-provider/mock-provider.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const entries = Object.entries(FAULTS);

test('each fault is described in one sentence, with what speaks of it, and strikes somewhere', () => {
  for (const [name, { description, source, endpoint, endpoints, options }] of entries) {
    expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Za-z_][^\n]+\.$/)]);
    expect([name, source]).toEqual([name, expect.stringMatching(/^(RFC \d{4}|OpenID Connect|Service spec)/)]);
    expect([name, endpoints.length]).not.toEqual([name, 0]);
    if (endpoint !== undefined) expect(endpoints).toContain(endpoint);
    expect(options).toEqual(expect.arrayContaining(['nth', 'endpoint']));
  }
});

test('the catalogue is data', () => {
  expect(JSON.parse(JSON.stringify(FAULTS.wrongIssuer))).toEqual({
    kind: 'idToken',
    aliases: ['oidcc-client-test-invalid-iss', 'invalid-iss', 'rp-id_token-issuer-mismatch'],
    description: 'The ID Token comes from another issuer.',
    source: 'OpenID Connect Core section 3.1.3.7 (2)',
    endpoints: ['/oauth/token', '/oauth/authorize'],
    options: ['nth', 'endpoint', 'client', 'grantType'],
  });
});

test('no two faults share a name', () => {
  const names = entries.flatMap(([name, { aliases }]) => [name, ...aliases]);
  expect(names).toHaveLength(new Set(names).size);
});

describe('waiting', () => {
  test('what was asked for, by its own name, and how many chances are left', () => {
    provider.faults.next('oidcc-client-test-invalid-iss', { nth: 2 });
    provider.faults.always('delay', { milliseconds: 5, endpoint: '/oauth/userinfo' });
    expect(provider.faults.queued).toEqual([
      { name: 'wrongIssuer', options: { nth: 2 }, once: true, left: 2 },
      { name: 'delay', options: { milliseconds: 5, endpoint: '/oauth/userinfo' }, once: false, left: 1 },
    ]);
  });

  test('nobody can change it from outside, and reset() and clear() empty it', () => {
    const asked = { nth: 2 };
    provider.faults.next('wrongIssuer', asked);
    asked.nth = 5;
    Object.assign(provider.faults.queued[0]?.options ?? {}, { nth: 5 });
    (provider.faults.queued as unknown[]).pop();
    expect(provider.faults.queued).toMatchObject([{ name: 'wrongIssuer', options: { nth: 2 } }]);
    provider.faults.clear();
    expect(provider.faults.queued).toEqual([]);
    provider.faults.next('wrongIssuer');
    provider.reset();
    expect(provider.faults.queued).toEqual([]);
  });
});

describe('what cannot be asked for is refused in one sentence that says what is right', () => {
  test.each<[string, string, unknown, string]>([
    ['a name that is nearly right', 'wrongIsuer', {}, 'There is no fault "wrongIsuer". Did you mean wrongIssuer?'],
    [
      'an alias that is nearly right',
      'oidcc-client-test-invalid-is',
      {},
      'There is no fault "oidcc-client-test-invalid-is". Did you mean oidcc-client-test-invalid-iss?',
    ],
    ['no number', 'delay', { nth: 0 }, 'The fault delay: nth must be a whole number, 1 for the next time, not 0.'],
    [
      'an option that is nearly right',
      'delay',
      { miliseconds: 5 },
      'The fault delay has no option "miliseconds". Did you mean milliseconds?',
    ],
    [
      'an option of another fault',
      'wrongIssuer',
      { status: 500 },
      'The fault wrongIssuer has no option "status". Known are: nth, endpoint, client, grantType.',
    ],
    [
      'a status of another kind',
      'serverError',
      { status: 404 },
      'The fault serverError: status must be a status from 500 to 599, not 404.',
    ],
    [
      'an endpoint that there is not',
      'delay',
      { endpoint: '/oauth/tokens' },
      'There is no endpoint "/oauth/tokens". Did you mean /oauth/token?',
    ],
    [
      'the name of an endpoint',
      'delay',
      { endpoint: 'jwks' },
      'There is no endpoint "jwks". Did you mean /.well-known/jwks.json?',
    ],
    [
      'an endpoint where it makes no sense',
      'wrongIssuer',
      { endpoint: '/oauth/userinfo' },
      'The fault wrongIssuer makes no sense at /oauth/userinfo. It strikes at /oauth/token or /oauth/authorize.',
    ],
    [
      'a client where nobody knows it',
      'delay',
      { endpoint: '/.well-known/jwks.json', client: 'app' },
      'The fault delay cannot be for one client at /.well-known/jwks.json: nobody says there who asks. Leave client out.',
    ],
    [
      'an address in place of a path',
      'delay',
      { endpoint: 'http://127.0.0.1:4400/oauth/token' },
      'There is no endpoint "http://127.0.0.1:4400/oauth/token". Did you mean /oauth/token?',
    ],
    [
      'a client at the metadata',
      'discovery-issuer-mismatch',
      { client: 'app' },
      'The fault discoveryWrongIssuer cannot be for one client at /.well-known/openid-configuration or /.well-known/oauth-authorization-server: nobody says there who asks. Leave client out.',
    ],
    [
      'a client at the keys',
      'keysDown',
      { client: 'app' },
      'The fault keysDown cannot be for one client at /.well-known/jwks.json: nobody says there who asks. Leave client out.',
    ],
    [
      'a grant type where there is none',
      'delay',
      { endpoint: '/oauth/userinfo', grantType: 'refresh_token' },
      'The fault delay cannot be for one grant type at /oauth/userinfo: there is one at /oauth/token alone.',
    ],
    ['options that are none', 'delay', 5, 'The options of delay must be an object such as { nth: 2 }, not 5.'],
  ])('%s', (_what, name, options, sentence) => {
    for (const ask of ['next', 'always'] as const) {
      expect(() => provider.faults[ask](name as FaultName | FaultAlias, options as object)).toThrow(
        new TypeError(sentence),
      );
    }
    expect(provider.faults.queued).toEqual([]);
  });
});
