import { describe, expect, test } from '@jest/globals';
import { ClinicianStrategy, clinicianLogin, isClinicianError } from '../../lib/index.js';

const good = {
  issuer: 'https://auth.service.example',
  apiURL: 'https://api.service.example',
  clientID: 'app',
  clientSecret: 'planted-client-secret',
  callbackURL: 'https://app.example/auth/callback',
  secret: 'planted-sealing-secret-0123456789-0123456789',
};

function refusal(options: Record<string, unknown>): { code: string; message: string } {
  try {
    clinicianLogin(options as never);
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    expect(error.remedy).toBe('fix_code');
    expect(error.message).not.toContain('planted');
    return error;
  }
  throw new Error('these options were accepted');
}

describe('good options', () => {
  test('start without touching the network', () => {
    const fetch = () => Promise.reject(new Error('the network was touched'));
    expect(() => clinicianLogin({ ...good, fetch })).not.toThrow();
  });

  test.each([
    ['a ring of secrets', { secret: [good.secret, 'an-older-secret-0123456789-0123456789'] }],
    [
      'plain http on loopback',
      { issuer: 'http://127.0.0.1:4400', apiURL: 'http://[::1]:4400', callbackURL: 'http://localhost:3000/cb' },
    ],
    ['scope as one string', { scope: 'openid basic email' }],
    ['the profile flow', { flow: 'profile', scope: ['basic', 'colleagues'] }],
    ['no apiURL where no profile is read', { apiURL: undefined }],
  ])('may be %s', (_name, change) => {
    expect(() => clinicianLogin({ ...good, ...change } as never)).not.toThrow();
  });
});

describe('a bad option stops the start with a sentence that names it and the fix', () => {
  test.each(['issuer', 'clientID', 'clientSecret', 'callbackURL', 'secret'])('%s missing', (name) => {
    const { code, message } = refusal({ ...good, [name]: undefined });
    expect(code).toBe('option_missing');
    expect(message).toContain(`'${name}' is missing`);
  });

  test('apiURL missing where the profile is read', () => {
    for (const change of [{ flow: 'profile' }, { scope: 'openid basic' }]) {
      expect(refusal({ ...good, ...change, apiURL: undefined })).toMatchObject({
        code: 'option_missing',
        message: expect.stringContaining("'apiURL'"),
      });
    }
  });

  test.each([
    ['clientId', 'clientID'],
    ['client_id', 'clientID'],
    ['clientsecret', 'clientSecret'],
    ['callbackUrl', 'callbackURL'],
    ['redirectUri', 'callbackURL'],
    ['redirect_uri', 'callbackURL'],
    ['issuerBaseURL', 'issuer'],
    ['authorizationURL', 'issuer'],
    ['baseURL', 'apiURL'],
    ['apiUrl', 'apiURL'],
    ['scopes', 'scope'],
    ['sessionSecret', 'secret'],
    ['onSignin', 'onSignIn'],
    ['isuer', 'issuer'],
  ])('%s is told to be %s', (wrong, right) => {
    const { code, message } = refusal({ ...good, [wrong]: 'x' });
    expect(code).toBe('option_misspelled');
    expect(message).toContain(`'${wrong}'`);
    expect(message).toContain(`'${right}'`);
  });

  test.each(['store', 'proxy', 'sessionKey'])("passport-oauth2's %s is told not to be needed", (name) => {
    expect(refusal({ ...good, [name]: true })).toMatchObject({
      code: 'option_unknown',
      message: expect.stringContaining('Remove it'),
    });
  });

  test('an unknown option gets the list of the known ones', () => {
    expect(refusal({ ...good, colour: 'blue' }).message).toContain('tokenStore');
  });

  test.each([
    ['issuer', 'http://auth.service.example'],
    ['apiURL', 'http://api.service.example'],
    ['callbackURL', 'http://app.example/auth/callback'],
    ['callbackURL', 'http://127.0.0.1.evil.example/auth/callback'],
    ['issuer', 'ftp://auth.service.example'],
  ])('attack 94, 200: %s %s on a public host', (name, value) => {
    const { code, message } = refusal({ ...good, [name]: value });
    expect(code).toBe('option_insecure');
    expect(message).toContain(`'${name}'`);
    expect(message).toContain('https');
  });

  test.each([
    ['callbackURL', '/auth/callback'],
    ['callbackURL', 'https://app.example'],
    ['callbackURL', 'https://app.example/auth/callback?x=1'],
    ['callbackURL', 'https://app.example/auth/callback#x'],
    ['callbackURL', 'https://APP.example/auth/callback'],
    ['issuer', 'https://user:pass@auth.service.example'],
    ['issuer', 'auth.service.example'],
    ['flow', 'implicit'],
    ['scope', 'openid everything'],
    ['scope', 'basic'],
    ['timeout', 0],
  ])('%s: %p', (name, value) => {
    expect(refusal({ ...good, [name]: value })).toMatchObject({
      code: 'option_invalid',
      message: expect.stringContaining(`'${name}'`),
    });
  });

  test.each<[string, unknown]>([
    ['apiURL', new URL('https://api.service.example')],
    ['scope', 5],
    ['scope', [5]],
    ['scope', {}],
    ['tokenStore', {}],
    ['onSignIn', 'x'],
    ['onError', 'x'],
    ['onEvent', 5],
    ['fetch', 'x'],
    ['clock', {}],
    ['ca', 5],
    ['timeout', 3e9],
    ['timeout', '5'],
    ['allowedEndpointOrigins', 'https://keys.service.example'],
    ['allowedEndpointOrigins', ['https://keys.service.example/']],
    ['postLogoutRedirectURI', new URL('https://app.example')],
    ['routes', 'x'],
  ])('%s of another kind: %p', (name, value) => {
    expect(refusal({ ...good, [name]: value })).toMatchObject({
      code: 'option_invalid',
      message: expect.stringContaining(`'${name}'`),
    });
  });

  test.each([
    [{ logOut: '/x' }, "no route 'logOut'"],
    [{ login: true }, 'routes.login'],
    [{ callback: '/cb' }, 'callbackURL'],
    [{ login: '/auth/callback' }, 'the same path'],
    [{ login: '/x', logout: '/x' }, 'the same path'],
  ])('routes %p', (routes, words) => {
    expect(refusal({ ...good, routes }).message).toContain(words);
  });

  test('no options at all', () => {
    for (const start of [
      () => clinicianLogin(undefined as never),
      () => new ClinicianStrategy(undefined as never, () => undefined),
    ]) {
      expect(start).toThrow(expect.objectContaining({ code: 'option_missing' }));
    }
  });

  test('attack 142: a secret below 32 bytes', () => {
    for (const secret of ['short', [good.secret, 'short']]) {
      const { code, message } = refusal({ ...good, secret });
      expect(code).toBe('option_secret_short');
      expect(message).toContain('randomBytes(32)');
    }
  });

  test('routes that are no paths', () => {
    expect(refusal({ ...good, routes: { login: 'login' } }).message).toContain('routes.login');
  });
});

describe('guards that could never let anybody through say so at the start', () => {
  test('requireVerified without scope basic', () => {
    const clinician = clinicianLogin(good);
    expect(() => clinician.requireVerified()).toThrow(
      expect.objectContaining({ code: 'scope_not_requested', message: expect.stringContaining("'openid basic'") }),
    );
  });

  test('requireScope of a misspelled scope names the one that was meant, and does not advise to ask for it', () => {
    const clinician = clinicianLogin(good);
    const message = expect.stringMatching(/'emial', which the service does not have\. Did you mean 'email'\?$/);
    expect(() => clinician.requireScope('emial')).toThrow(expect.objectContaining({ message }));
    expect(() => clinician.requireScope('everything')).toThrow(/The scopes are: .*colleagues/);
  });

  test('requireScope of a scope that is never asked for', () => {
    expect(() => clinicianLogin(good).requireScope('email')).toThrow(
      expect.objectContaining({ code: 'scope_not_requested' }),
    );
  });
});

describe('the strategy', () => {
  test('checks the same options, and wants a verify function', () => {
    expect(() => new ClinicianStrategy({ ...good, clientId: 'x' } as never, () => undefined)).toThrow(
      /Did you mean 'clientID'/,
    );
    expect(() => new ClinicianStrategy(good, undefined as never)).toThrow(
      expect.objectContaining({ code: 'verify_missing' }),
    );
    expect(() => new ClinicianStrategy({ ...good, pkce: false } as never, () => undefined)).toThrow(
      /'pkce' cannot be switched off/,
    );
    expect(() => new ClinicianStrategy({ ...good, pkce: true, state: true } as never, () => undefined)).not.toThrow();
  });
});
