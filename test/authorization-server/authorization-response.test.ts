import { describe, expect, test } from '@jest/globals';
import type { Transaction } from '../../lib/authorization-server/authorization-request.js';
import type { AuthorizationResponseError } from '../../lib/authorization-server/authorization-response.js';
import { hostile } from './hostile.js';
import { clientOf, codeOf, errorOf, signIn } from './sign-in.js';

describe('an authorization response', () => {
  type Change = (callback: URLSearchParams, transaction: Transaction) => void;
  const changed = (change: Change) => signIn(hostile, clientOf(hostile), {}, change);
  const errorResponse = (error: string, more: Record<string, string> = {}) =>
    errorOf(
      changed((callback) => {
        callback.delete('code');
        for (const [name, value] of Object.entries({ error, ...more })) callback.set(name, value);
      }),
    );

  test.each<[string, Change, string]>([
    ['no state', (callback) => callback.delete('state'), 'transaction_missing'],
    ['another state', (callback) => callback.set('state', 'x'.repeat(43)), 'transaction_missing'],
    ['an empty state', (callback) => callback.set('state', ''), 'transaction_missing'],
    ['two states', (callback) => callback.append('state', callback.get('state') as string), 'callback_malformed'],
    ['the code twice', (callback) => callback.append('code', 'another'), 'callback_malformed'],
    [
      'an unknown parameter twice',
      (callback) => ['x', 'y'].map((value) => callback.append('z', value)),
      'callback_malformed',
    ],
    ['no code', (callback) => callback.delete('code'), 'callback_malformed'],
    ['an empty code', (callback) => callback.set('code', ''), 'callback_malformed'],
    ['a code with NUL', (callback) => callback.set('code', 'a\0b'), 'callback_malformed'],
    ['a code with a line break', (callback) => callback.set('code', 'a\r\nb'), 'callback_malformed'],
    ['an id_token', (callback) => callback.set('id_token', 'a.b.c'), 'callback_malformed'],
    ['an access token', (callback) => callback.set('access_token', 'abc'), 'callback_malformed'],
    ['a signed response', (callback) => callback.set('response', 'a.b.c'), 'callback_malformed'],
    [
      'a session_state of 513 characters',
      (callback) => callback.set('session_state', 's'.repeat(513)),
      'callback_malformed',
    ],
    ['another issuer', (callback) => callback.set('iss', 'https://evil.example'), 'issuer_mismatch'],
    ['the issuer with an extra slash', (callback) => callback.set('iss', `${hostile.issuer}/`), 'issuer_mismatch'],
    [
      'a transaction without its nonce',
      (_, transaction) => Reflect.deleteProperty(transaction, 'nonce'),
      'transaction_missing',
    ],
    [
      'a transaction with an empty nonce',
      (_, transaction) => Object.assign(transaction, { nonce: '' }),
      'transaction_missing',
    ],
    [
      'a transaction without its verifier',
      (_, transaction) => Reflect.deleteProperty(transaction, 'codeVerifier'),
      'transaction_missing',
    ],
  ])('with %s is rejected before a token request', async (_, change, code) => {
    expect(await codeOf(changed(change))).toBe(code);
    expect(hostile.requestsTo('/oauth/token')).toEqual([]);
  });

  test('that is malformed has status 400; one with a wrong state has status 403', async () => {
    expect((await errorOf(changed((callback) => callback.delete('code')))).status).toBe(400);
    expect(await errorOf(changed((callback) => callback.delete('state')))).toMatchObject({
      status: 403,
      remedy: 'sign_in',
    });
  });

  test('has its state checked before its error', async () => {
    expect((await errorResponse('access_denied', { state: 'other' })).code).toBe('transaction_missing');
  });

  test('has its issuer checked before its error', async () => {
    for (const error of ['access_denied', 'login_required', 'server_error']) {
      expect((await errorResponse(error, { iss: 'https://evil.example' })).code).toBe('issuer_mismatch');
      expect((await errorResponse(error, { iss: hostile.issuer })).code).toBe(error);
    }
  });

  test('has its state checked before any request', async () => {
    const { transaction } = await clientOf(hostile).request();
    hostile.requests.length = 0;
    expect(await codeOf(clientOf(hostile).redeem(new URLSearchParams({ code: 'x', state: 'y' }), transaction))).toBe(
      'transaction_missing',
    );
    expect(hostile.requests).toEqual([]);
  });

  test('must have iss when the metadata document announces it', async () => {
    hostile.behaviour.metadata = (document) => ({ ...document, authorization_response_iss_parameter_supported: true });
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('issuer_mismatch');
    const { tokens } = await changed((callback) => callback.set('iss', hostile.issuer));
    expect(tokens.subject).toBe(hostile.subject);
  });

  test('with parameters that are not of its specification, and a session_state of 512 characters, signs in', async () => {
    const sessionState = 's'.repeat(512);
    const { tokens } = await changed((callback) => {
      callback.set('scope', 'openid offline_access');
      callback.set('session_state', sessionState);
    });
    expect(tokens).toMatchObject({ subject: hostile.subject, sessionState });
  });

  test('with access_denied has the description of the service', async () => {
    const denied = await errorResponse('access_denied', { error_description: 'The user denied the request' });
    expect(denied).toMatchObject({
      code: 'access_denied',
      message: 'The user denied the request',
      remedy: 'tell_user',
      status: 403,
    });
    expect((await errorResponse('access_denied')).message).toMatch(/declined/);
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
  ])('with the error %s has its remedy', async (error, remedy, status) => {
    const thrown = (await errorResponse(error, {
      error_description: 'why',
      error_uri: 'https://docs.example/why',
    })) as AuthorizationResponseError;
    expect(thrown).toMatchObject({ name: 'AuthorizationResponseError', code: error, error, remedy, status });
    expect(thrown).toMatchObject({
      errorDescription: 'why',
      errorURI: 'https://docs.example/why',
      retryable: remedy === 'retry',
    });
  });

  test.each(['', 'a b', 'x'.repeat(65), '<script>', 'a\r\nb'])(
    'with an invalid error code (%j) has the code server_error',
    async (error) => {
      expect(await errorResponse(error)).toMatchObject({
        code: 'server_error',
        message: expect.not.stringContaining(error || ' ""'),
      });
    },
  );

  test('has a description of one short line, and an https error_uri only', async () => {
    const error = (await errorResponse('server_error', {
      error_description: `one\r\ntwo\u001b[31m\u202e${'x'.repeat(20_000)}`,
      error_uri: 'javascript:alert(1)',
    })) as AuthorizationResponseError;
    expect(error.errorDescription).toMatch(/^one two \[31m x+$/);
    expect(error.message.length).toBeLessThan(400);
    expect(error.errorURI).toBeUndefined();
  });
});
