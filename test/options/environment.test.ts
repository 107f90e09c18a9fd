import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ClinicianLoginOptions, clinicianLogin, isClinicianError, MemoryTokenStore } from '../../lib/index.js';

const LIVE = {
  CLINICIAN_ISSUER: 'https://auth.service.example',
  CLINICIAN_CLIENT_ID: 'app',
  CLINICIAN_CLIENT_SECRET: 'client-secret',
  APP_URL: 'https://app.example/',
  SESSION_SECRET: ' newer-secret-0123456789-0123456789  older-secret-0123456789-0123456789 ',
};

const SEED = 20_260_101;

function errorOf(
  env: Record<string, string>,
  options?: Partial<ClinicianLoginOptions>,
): { code: string; message: string } {
  try {
    clinicianLogin.fromEnv(options, env);
  } catch (error) {
    if (isClinicianError(error)) return error;
    throw error;
  }
  throw new Error('the variables were accepted');
}

describe('clinicianLogin.fromEnv()', () => {
  test('creates the sign-in of the variables, with further options', () => {
    const { strategy } = clinicianLogin.fromEnv(
      { tokenStore: new MemoryTokenStore(), pages: { siteName: 'Rounds' } },
      LIVE,
    );
    expect(strategy).toMatchObject({ _callbackURL: 'https://app.example/auth/callback', _scope: ['openid'] });
  });

  test('an option takes precedence over its variable, which is not read; an undefined option does not', () => {
    const callbackURL = 'https://app.example/sign-in/done';
    const { strategy } = clinicianLogin.fromEnv({ callbackURL, clientID: undefined } as never, {
      ...LIVE,
      APP_URL: 'x',
    });
    expect(strategy).toMatchObject({ _callbackURL: callbackURL, _scope: ['openid'] });
    expect(errorOf(LIVE, { issuer: 'http://auth.example' })).toMatchObject({ code: 'option_invalid' });
  });

  test('one error names every missing and invalid variable', () => {
    const { code, message } = errorOf({
      ...LIVE,
      CLINICIAN_ISSUER: '',
      APP_URL: 'app',
      CLINICIAN_SCOPE: 'openid basic',
    });
    expect(code).toBe('environment_invalid');
    expect(message.split('\n')).toEqual([
      'passport-clinician: 3 environment variables are missing or invalid.',
      "  CLINICIAN_ISSUER is missing. Pass the authorization server's address.",
      expect.stringMatching(/^ {2}CLINICIAN_API_URL is missing: scope 'basic' reads the profile/),
      '  APP_URL must be an absolute URL such as https://app.example.',
    ]);
  });

  test('the space around a value is not part of it', () => {
    const { strategy } = clinicianLogin.fromEnv({}, { ...LIVE, APP_URL: ' https://app.example//\n' });
    expect(strategy).toMatchObject({ _callbackURL: 'https://app.example/auth/callback' });
  });

  test('SESSION_SECRET may have several secrets, and each is checked', () => {
    const { message } = errorOf({ ...LIVE, SESSION_SECRET: 'newer-secret-0123456789-0123456789 short' });
    expect(message).toContain('SESSION_SECRET must be at least 32 bytes long: number 2 of 2 is shorter.');
  });

  test.each([
    ['https://app.example/auth/callback', "APP_URL must end before '/auth/callback', which this package adds."],
    ['https://app.example/site/Auth/Callback/', "APP_URL must end before '/auth/callback', which this package adds."],
    ['https://app.example/?x=1', "APP_URL must not have a query or a fragment. Remove what follows '?' or '#'."],
  ])('APP_URL=%s is refused', (APP_URL, problem) => {
    expect(errorOf({ ...LIVE, APP_URL }).message).toBe(`passport-clinician: ${problem}`);
  });

  test('no message contains the value of a variable, whatever it is', () => {
    const value = fc.oneof(
      fc.string({ minLength: 12 }),
      fc.stringMatching(/^planted[\w'",.:/?#@ -]{8,50}$/),
      fc.constantFrom('http://planted.example', 'https://user:planted@a.example', 'https://PLANTED.example/x#planted'),
    );
    const names = ['FLOW', 'SCOPE', 'OPTIONAL_SCOPE', 'ISSUER', 'API_URL', 'SHARE_SCRIPT_URL', 'CLIENT_ID'];
    const variables = fc.constantFrom(...names.map((name) => `CLINICIAN_${name}`), 'APP_URL', 'SESSION_SECRET');
    fc.assert(
      fc.property(variables, value, (variable, text) => {
        try {
          clinicianLogin.fromEnv({}, { ...LIVE, [variable]: text });
        } catch (error) {
          const { code, message } = error as { code?: string; message: string };
          expect(code).toBe('environment_invalid');
          expect(message).toContain(variable);
          expect(message.toLowerCase()).not.toContain('planted');
          if (text.trim().length >= 12) expect(message).not.toContain(text.trim());
        }
      }),
      { seed: SEED },
    );
  });
});

describe('secrets', () => {
  beforeAll(() => {
    process.env.NODE_ENV = 'development';
  });
  afterAll(() => {
    process.env.NODE_ENV = 'test';
  });

  test.each([
    ['a repeated word', 'changeme'.repeat(4)],
    ['a repeated word with separators and an end', 'secret-secret-secret-secret-secret!'],
    ['a repeated part of 16 random characters', 'k3JvQ9xZp0LmW7aB'.repeat(2)],
    ['one character', 'x'.repeat(64)],
    ['two characters', 'abbabaabbaababbabaababbaabbabaab'],
    ['a sequence', '0123456789abcdefghijklmnopqrstuvwxyz'],
    ['words and sequences', 'checks-0123456789-abcdefghijklmnop-QRST'],
    ['the example of express-session', 'keyboard cat keyboard cat keyboard cat'],
    ['the example of express-openid-connect', 'a long, randomly-generated string stored in env'],
    ['a published phrase with digits', 'correct horse battery staple 12345'],
  ])('%s is refused, and not printed; tests may use it', (_, phrase) => {
    const SESSION_SECRET = phrase.replaceAll(' ', '_');
    const { message } = errorOf({ ...LIVE, SESSION_SECRET });
    expect(message).toMatch(/SESSION_SECRET must be random: text that repeats itself/);
    expect(message).not.toContain(SESSION_SECRET);
    process.env.NODE_ENV = 'test';
    expect(() => clinicianLogin.fromEnv({}, { ...LIVE, SESSION_SECRET })).not.toThrow();
    process.env.NODE_ENV = 'development';
  });

  test('random secrets are accepted: digits, hexadecimal, base64url', () => {
    const random = (alphabet: string, length: number) =>
      fc
        .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
        .map((letters) => letters.join(''));
    const secrets = fc.oneof(
      { arbitrary: random('0123456789', 40), weight: 1 },
      { arbitrary: random('0123456789abcdef', 32), weight: 1 },
      { arbitrary: random('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 43), weight: 1 },
    );
    fc.assert(
      fc.property(fc.noBias(secrets), (secret) => {
        expect(() => clinicianLogin.fromEnv({}, { ...LIVE, SESSION_SECRET: secret })).not.toThrow();
      }),
      { seed: SEED },
    );
  });
});
