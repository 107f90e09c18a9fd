import { describe, expect, test } from '@jest/globals';
import type { Transaction } from '../../lib/authorization-server/authorization-request.js';
import type { AuthorizationResponseError } from '../../lib/authorization-server/authorization-response.js';
import { hostile } from './hostile.js';
import { clientOf, errorOf, outcomeOf, signIn } from './sign-in.js';

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

describe('an authorization response', () => {
  type Change = (callback: URLSearchParams, transaction: Writable<Transaction>) => unknown;
  const changed = (change: Change) => signIn(hostile, clientOf(hostile), {}, change);
  const errorResponse = (error: string, more: Record<string, string> = {}) =>
    errorOf(
      changed((callback) => {
        callback.delete('code');
        for (const [name, value] of Object.entries({ error, ...more })) callback.set(name, value);
      }),
    );

  const set =
    (name: string, value: string): Change =>
    (callback) =>
      callback.set(name, value);
  const append =
    (name: string, value: string): Change =>
    (callback) =>
      callback.append(name, value);
  const remove =
    (name: string): Change =>
    (callback) =>
      callback.delete(name);
  test.each<[string, Change, string]>([
    ['no state', remove('state'), 'transaction_missing'],
    ['another state', set('state', 'x'.repeat(43)), 'transaction_missing'],
    ['two states', append('state', 'x'.repeat(43)), 'callback_malformed'],
    ['the code twice', append('code', 'another'), 'callback_malformed'],
    ['an unknown parameter twice', (callback) => ['x', 'y'].map((z) => callback.append('z', z)), 'callback_malformed'],
    ['no code', remove('code'), 'callback_malformed'],
    ['an empty code', set('code', ''), 'callback_malformed'],
    ['a code with NUL', set('code', 'a\0b'), 'callback_malformed'],
    ['a code with a line break', set('code', 'a\r\nb'), 'callback_malformed'],
    ['an id_token', set('id_token', 'a.b.c'), 'callback_malformed'],
    ['an access token', set('access_token', 'abc'), 'callback_malformed'],
    ['a signed response', set('response', 'a.b.c'), 'callback_malformed'],
    ['a session_state of 513 characters', set('session_state', 's'.repeat(513)), 'callback_malformed'],
    ['another issuer', set('iss', 'https://evil.example'), 'issuer_mismatch'],
    ['the issuer with an extra slash', (callback) => callback.set('iss', `${hostile.issuer}/`), 'issuer_mismatch'],
    ['a transaction without its nonce', (_, attempt) => delete attempt.nonce, 'transaction_missing'],
    ['a transaction with an empty nonce', (_, attempt) => Object.assign(attempt, { nonce: '' }), 'transaction_missing'],
    ['a transaction without its verifier', (_, attempt) => delete attempt.codeVerifier, 'transaction_missing'],
  ])('with %s is rejected before a token request', async (_, change, code) => {
    expect(await outcomeOf(changed(change))).toBe(code);
    expect(hostile.requestsTo('/oauth/token')).toEqual([]);
  });

  test('that is malformed has status 400; one with a wrong state has status 403', async () => {
    expect(await errorOf(changed(remove('code')))).toMatchObject({ status: 400 });
    expect(await errorOf(changed(remove('state')))).toMatchObject({ status: 403, remedy: 'sign_in' });
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

  test('must have iss when the metadata document announces it', async () => {
    hostile.behaviour.metadata = (document) => ({ ...document, authorization_response_iss_parameter_supported: true });
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('issuer_mismatch');
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

  test.each(['', 'x'.repeat(65), 'a\r\nb'])(
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
