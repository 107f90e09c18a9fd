import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthorizationResponseError } from '../../lib/authorization-server/authorization-response.js';
import type { Transaction } from '../../lib/authorization-server/transaction.js';
import { HostileAuthorizationServer } from './hostile-authorization-server.js';
import { clientOf, codeOf, errorOf, signIn } from './sign-in.js';

describe('an authorization response', () => {
  let hostile: HostileAuthorizationServer;
  beforeAll(async () => {
    hostile = await HostileAuthorizationServer.start();
  });
  afterEach(() => hostile.reset());
  afterAll(() => hostile.stop());

  type Meddle = (callback: URLSearchParams, transaction: Transaction) => void;
  const meddled = (meddle: Meddle) => signIn(hostile, clientOf(hostile), {}, meddle);
  const answered = (error: string, more: Record<string, string> = {}) =>
    errorOf(
      meddled((callback) => {
        callback.delete('code');
        for (const [name, value] of Object.entries({ error, ...more })) callback.set(name, value);
      }),
    );

  test.each<[string, Meddle, string]>([
    ['attack 133: no state', (callback) => callback.delete('state'), 'state_mismatch'],
    ['another state', (callback) => callback.set('state', 'x'.repeat(43)), 'state_mismatch'],
    ['an empty state', (callback) => callback.set('state', ''), 'state_mismatch'],
    [
      'attack 215: the state twice',
      (callback) => callback.append('state', callback.get('state') as string),
      'callback_malformed',
    ],
    ['attack 215: the code twice', (callback) => callback.append('code', 'another'), 'callback_malformed'],
    [
      'attack 215: an unknown parameter twice',
      (callback) => ['x', 'y'].map((value) => callback.append('z', value)),
      'callback_malformed',
    ],
    ['no code', (callback) => callback.delete('code'), 'callback_malformed'],
    ['an empty code', (callback) => callback.set('code', ''), 'callback_malformed'],
    ['attack 220: a code with NUL', (callback) => callback.set('code', 'a\0b'), 'callback_malformed'],
    ['a code with a line break', (callback) => callback.set('code', 'a\r\nb'), 'callback_malformed'],
    ['attack 91: an ID Token', (callback) => callback.set('id_token', 'a.b.c'), 'callback_malformed'],
    ['attack 91: an access token', (callback) => callback.set('access_token', 'abc'), 'callback_malformed'],
    ['a signed response', (callback) => callback.set('response', 'a.b.c'), 'callback_malformed'],
    [
      'attack 88: another issuer',
      (callback) => callback.set('iss', 'https://evil.example'),
      'issuer_parameter_mismatch',
    ],
    [
      'attack 88: the issuer with a slash more',
      (callback) => callback.set('iss', `${hostile.issuer}/`),
      'issuer_parameter_mismatch',
    ],
    [
      "attack 132: another issuer's transaction",
      (_, transaction) => Object.assign(transaction, { issuer: 'https://x.example' }),
      'transaction_foreign',
    ],
    [
      "attack 132: another client's transaction",
      (_, transaction) => Object.assign(transaction, { clientID: 'other' }),
      'transaction_foreign',
    ],
    [
      "attack 132: another redirect URI's transaction",
      (_, transaction) => Object.assign(transaction, { redirectURI: 'https://app.example/' }),
      'transaction_foreign',
    ],
    [
      "attack 132: the other flow's transaction",
      (_, transaction) => Object.assign(transaction, { flow: 'profile' }),
      'transaction_foreign',
    ],
    [
      'attack 134: a transaction without its nonce',
      (_, transaction) => Reflect.deleteProperty(transaction, 'nonce'),
      'transaction_foreign',
    ],
    [
      'attack 134: a transaction with an empty nonce',
      (_, transaction) => Object.assign(transaction, { nonce: '' }),
      'transaction_foreign',
    ],
    [
      'attack 134: a transaction without its verifier',
      (_, transaction) => Reflect.deleteProperty(transaction, 'codeVerifier'),
      'transaction_foreign',
    ],
  ])('%s is refused before any code is redeemed', async (_, meddle, code) => {
    expect(await codeOf(meddled(meddle))).toBe(code);
    expect(hostile.asked('/oauth/token')).toEqual([]);
  });

  test("attack 130: a callback that cannot be read is the browser's fault, a wrong state a new sign-in", async () => {
    expect((await errorOf(meddled((callback) => callback.delete('code')))).status).toBe(400);
    expect(await errorOf(meddled((callback) => callback.delete('state')))).toMatchObject({
      status: 403,
      remedy: 'sign_in',
    });
  });

  test('state is checked before the error is read', async () => {
    expect((await answered('access_denied', { state: 'other' })).code).toBe('state_mismatch');
  });

  test('state is checked before the network is asked', async () => {
    const { transaction } = await clientOf(hostile).request();
    hostile.requests.length = 0;
    expect(await codeOf(clientOf(hostile).redeem(new URLSearchParams({ code: 'x', state: 'y' }), transaction))).toBe(
      'state_mismatch',
    );
    expect(hostile.requests).toEqual([]);
  });

  test('attack 88: an issuer that names itself in answers must do so in each', async () => {
    hostile.behaviour.metadata = (document) => ({ ...document, authorization_response_iss_parameter_supported: true });
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('issuer_parameter_mismatch');
    const { tokens } = await meddled((callback) => callback.set('iss', hostile.issuer));
    expect(tokens.subject).toBe(hostile.subject);
  });

  test("the person's no has the service's words", async () => {
    const denied = await answered('access_denied', { error_description: 'The user denied the request' });
    expect(denied).toMatchObject({
      code: 'access_denied',
      message: 'The user denied the request',
      remedy: 'tell_user',
      status: 403,
    });
    expect((await answered('access_denied')).message).toMatch(/declined/);
  });

  test.each([
    ['login_required', 'sign_in', 401],
    ['consent_required', 'sign_in', 401],
    ['interaction_required', 'sign_in', 401],
    ['temporarily_unavailable', 'retry', 503],
    ['server_error', 'retry', 502],
    ['invalid_scope', 'fix_code', 500],
    ['unauthorized_client', 'fix_code', 500],
    ['some_new_error', 'fix_code', 500],
    ['constructor', 'fix_code', 500],
  ])('the error %s is told with its remedy', async (error, remedy, status) => {
    const told = (await answered(error, {
      error_description: 'why',
      error_uri: 'https://docs.example/why',
    })) as AuthorizationResponseError;
    expect(told).toMatchObject({ name: 'AuthorizationResponseError', code: error, error, remedy, status });
    expect(told).toMatchObject({
      errorDescription: 'why',
      errorURI: 'https://docs.example/why',
      retryable: remedy === 'retry',
    });
  });

  test.each(['', 'a b', 'x'.repeat(65), '<script>', 'a\r\nb'])(
    'attack 158: an error that is no error code (%j) is not passed on',
    async (error) => {
      expect((await answered(error)).code).toBe('callback_malformed');
    },
  );

  test("attack 158, 168: the service's words become one short line, and only an https address is a link", async () => {
    const told = (await answered('server_error', {
      error_description: `one\r\ntwo\u001b[31m\u202e${'x'.repeat(20_000)}`,
      error_uri: 'javascript:alert(1)',
    })) as AuthorizationResponseError;
    expect(told.errorDescription).toMatch(/^one two \[31m x+$/);
    expect(told.message.length).toBeLessThan(400);
    expect(told.errorURI).toBeUndefined();
  });
});
