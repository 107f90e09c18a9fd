import { describe, expect, test } from '@jest/globals';
import { resolveLoginOptions } from '../../lib/express/login-options.js';
import { ClinicianStrategy, clinicianLogin, isClinicianError } from '../../lib/index.js';
import { testCertificates } from '../authorization-server/test-certificates.js';
import { membersOf } from '../helpers/interface-docs.js';

const good = {
  issuer: 'https://auth.service.example',
  apiURL: 'https://api.service.example',
  clientID: 'app',
  clientSecret: 'planted-client-secret',
  callbackURL: 'https://app.example/auth/callback',
  secret: 'planted-sealing-secret-0123456789-0123456789',
};

const optionNames = [
  ...membersOf('lib/options/options.ts', 'RelyingPartyOptions'),
  ...membersOf('lib/express/login-options.ts', 'ClinicianLoginOptions'),
].map(({ name }) => name);

function errorOf(options: Record<string, unknown>): { code: string; message: string } {
  try {
    clinicianLogin(options as never);
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    expect(error.remedy).toBe('fix_code');
    expect(error.message).not.toContain('planted');
    return error;
  }
  throw new Error('the options were accepted');
}

describe('valid options', () => {
  test('start the site without a network request', () => {
    const fetch = () => Promise.reject(new Error('a request was sent'));
    expect(() => clinicianLogin({ ...good, fetch })).not.toThrow();
  });

  test.each([
    ['one secret twice', { secret: [good.secret, good.secret] }],
    ['several secrets', { secret: [good.secret, 'an-older-secret-0123456789-0123456789'] }],
    [
      'plain http on loopback',
      { issuer: 'http://127.0.0.1:4400', apiURL: 'http://[::1]:4400', callbackURL: 'http://localhost:3000/cb' },
    ],
    ['scope as one string', { scope: 'openid basic email' }],
    ['flow profile', { flow: 'profile', scope: ['basic', 'colleagues'] }],
    ['no apiURL without scope basic', { apiURL: undefined }],
    ['any scope without apiURL', { apiURL: '', scope: 'openid profile email', optionalScope: ['https://a.example/b'] }],
    ['profileRequired with scope basic', { profileRequired: true, scope: 'openid basic' }],
    ['profileRequired in the profile flow', { profileRequired: true, flow: 'profile' }],
  ])('may have %s', (_name, change) => {
    expect(() => clinicianLogin({ ...good, ...change } as never)).not.toThrow();
  });

  test('may have a path and a final slash in apiURL', () => {
    const { site } = resolveLoginOptions({ ...good, apiURL: 'https://service.example/gateway/' } as never);
    expect(site.apiURL).toBe('https://service.example/gateway');
  });
});

describe('an invalid option throws an error that names the option and the fix', () => {
  test.each(['issuer', 'clientID', 'clientSecret', 'callbackURL', 'secret'])('%s is missing', (name) => {
    const { code, message } = errorOf({ ...good, [name]: undefined });
    expect(code).toBe('option_invalid');
    expect(message).toContain(`'${name}' is missing`);
  });

  test('apiURL is missing where the profile is read', () => {
    for (const change of [{ flow: 'profile' }, { scope: 'openid basic' }]) {
      expect(errorOf({ ...good, ...change, apiURL: undefined })).toMatchObject({
        code: 'option_invalid',
        message: expect.stringContaining("'apiURL'"),
      });
    }
  });

  test.each([
    ['profileRequired without scope basic', { profileRequired: true }, "Add it: scope: 'openid basic'"],
    ['profileRequired false in the profile flow', { profileRequired: false, flow: 'profile' }, 'Remove it'],
    ['profileRequired that is text', { profileRequired: 'yes' }, 'true or false'],
  ])('%s', (_name, change, fix) => {
    const { code, message } = errorOf({ ...good, ...change });
    expect(code).toBe('option_invalid');
    expect(message).toContain("'profileRequired'");
    expect(message).toContain(fix);
  });

  test.each<[string, object, string]>([
    ['an unknown scope with apiURL', { scope: 'openid profile' }, "any scope is allowed. Remove 'profile'."],
    ['an unknown scope in the profile flow', { flow: 'profile', scope: 'basic groups' }, "Remove 'groups'."],
    ['a scope with a quote', { apiURL: undefined, scope: ['openid', 'a"b'] }, 'RFC 6749 section 3.3 does not allow'],
    ['a scope without openid', { apiURL: undefined, scope: ['profile'] }, "Add it: scope: 'openid profile'"],
  ])('%s', (_name, change, fix) => {
    const { code, message } = errorOf({ ...good, ...change });
    expect([code, message]).toEqual(['option_invalid', expect.stringMatching(/option 'scope' (has|must have) /)]);
    expect(message).toContain(fix);
  });

  test.each([
    ['clientId', 'clientID'],
    ['callbackUrl', 'callbackURL'],
    ['scopes', 'scope'],
    ['onSignin', 'onSignIn'],
    ['ape_url', 'apiURL'],
    ['onEvnt', 'onEvent'],
  ])('%s is misspelled: the error suggests %s', (wrong, right) => {
    const { code, message } = errorOf({ ...good, [wrong]: 'x' });
    expect(code).toBe('option_invalid');
    expect(message).toContain(`'${wrong}'`);
    expect(message).toContain(`'${right}'`);
  });

  test.each([
    ['a path', '/etc/ssl/hospital.pem'],
    ['a key', testCertificates.key],
    ['an incomplete certificate', testCertificates.authority.slice(0, 200)],
    ['a certificate in one line', testCertificates.authority.replaceAll('\n', '\\n')],
    ['the bytes of a certificate', Buffer.from(testCertificates.authority)],
  ])('ca that is %s is refused', (_name, ca) => {
    const { code, message } = errorOf({ ...good, ca });
    expect([code, message]).toEqual(['option_invalid', expect.stringMatching(/'ca' must be .* PEM, not the path/)]);
  });

  test.each([
    ['issuer', 'http://auth.service.example'],
    ['apiURL', 'http://api.service.example'],
    ['callbackURL', 'http://app.example/auth/callback'],
    ['callbackURL', 'http://127.0.0.1.evil.example/auth/callback'],
    ['issuer', 'ftp://auth.service.example'],
    ['allowedEndpointOrigins', ['https://keys.service.example', 'http://keys.service.example']],
  ])('%s %s is plain http on a public host, or not http', (name, value) => {
    const { code, message } = errorOf({ ...good, [name]: value });
    expect(code).toBe('option_invalid');
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
    ['issuer', 'https://auth.service.example/?a=b'],
    ['issuer', 'https://auth.service.example/#'],
    ['flow', 'implicit'],
    ['scope', 'openid everything'],
    ['scope', ['openid', 'a"b']],
    ['scope', 'basic'],
    ['timeout', 0],
  ])('%s has the invalid value %p', (name, value) => {
    expect(errorOf({ ...good, [name]: value })).toMatchObject({
      code: 'option_invalid',
      message: expect.stringContaining(`'${name}'`),
    });
  });

  test.each(optionNames)('%s has a value of no known type', (name) => {
    expect(errorOf({ ...good, [name]: Symbol('value') })).toMatchObject({
      code: 'option_invalid',
      message: expect.stringContaining(`'${name}' must be`),
    });
  });

  test.each<[string, unknown]>([
    ['apiURL', new URL('https://api.service.example')],
    ['scope', [5]],
    ['timeout', 3e9],
    ['timeout', '5'],
    ['allowedEndpointOrigins', 'https://keys.service.example'],
    ['allowedEndpointOrigins', ['https://keys.service.example/']],
    ['postLogoutRedirectURI', new URL('https://app.example')],
  ])('%s has a value of another type, %p', (name, value) => {
    expect(errorOf({ ...good, [name]: value })).toMatchObject({
      code: 'option_invalid',
      message: expect.stringContaining(`'${name}'`),
    });
  });

  test.each([
    [{ logOut: '/x' }, "no route 'logOut'"],
    [{ login: true }, 'routes.login'],
    [{ login: 'login' }, 'routes.login'],
    [{ callback: '/cb' }, 'callbackURL'],
    [{ login: '/auth/callback' }, 'the same path'],
    [{ login: '/x', logout: '/x' }, 'the same path'],
  ])('routes has the invalid value %p', (routes, words) => {
    expect(errorOf({ ...good, routes }).message).toContain(words);
  });

  test('one error lists all conflicts between paths', () => {
    const routes = { login: '/x', logout: '/x', forget: '/auth/callback', callback: '/cb' } as never;
    const { code, message } = errorOf({ ...good, routes });
    expect(code).toBe('option_invalid');
    expect(message).toMatch(
      /routes\.callback is '\/cb'.*; routes\.logout and routes\.login .*; routes\.forget and callbackURL /,
    );
    expect(errorOf({ ...good, basePath: '/app', routes })).toMatchObject({
      code: 'option_invalid',
      message: expect.stringMatching(/'\/auth\/callback', is not below basePath, '\/app'; routes\.logout/),
    });
  });

  test.each([
    '/',
    'app',
    '/app/',
    '//evil.example',
    '/app//x',
    '/..',
    '/app/../x',
    '/./x',
    '/%2e%2e',
    '/a%2Fb',
    '/a\\b',
    '/?',
    '/ ',
  ])('basePath is %p', (basePath) => {
    expect(errorOf({ ...good, basePath })).toMatchObject({ code: 'option_invalid', option: 'basePath' });
  });

  test.each(['//evil.example/auth/callback', '/a%2f..%2fb/auth/callback'])(
    'the path of callbackURL, which basePath is derived from, is %s',
    (path) => {
      expect(errorOf({ ...good, callbackURL: `https://app.example${path}` }).code).toBe('option_invalid');
    },
  );

  test.each(['//evil.example', '/\\evil.example'])(
    'a route is at %p, which a browser reads as another host',
    (login) => {
      expect(errorOf({ ...good, routes: { login } }).code).toBe('option_invalid');
    },
  );

  test('the options are missing', () => {
    for (const start of [
      () => clinicianLogin(undefined as never),
      () => new ClinicianStrategy(undefined as never, () => undefined),
    ]) {
      expect(start).toThrow(expect.objectContaining({ code: 'option_invalid' }));
    }
  });

  test('secret is shorter than 32 bytes', () => {
    for (const secret of ['short', 'x'.repeat(31), [good.secret, 'short']]) {
      const { code, message } = errorOf({ ...good, secret });
      expect(code).toBe('option_invalid');
      expect(message).toContain('randomBytes(32)');
    }
    const { message } = errorOf({ ...good, secret: [good.secret, 'planted', good.secret] });
    expect(message).toContain('number 2 of 3 is shorter');
    expect(message).not.toContain('planted');
  });

  test('secret has more than ten secrets', () => {
    const secrets = (count: number) => Array.from({ length: count }, (_, index) => `${index} ${good.secret}`);
    expect(clinicianLogin({ ...good, secret: secrets(10) })).toBeInstanceOf(Function);
    for (const count of [11, 100_000]) {
      const { code, message } = errorOf({ ...good, secret: secrets(count) });
      expect([code, message]).toEqual(['option_invalid', expect.stringContaining(`at most 10 secrets, not ${count}`)]);
    }
  });

  test('secret is an empty array', () => {
    expect(errorOf({ ...good, secret: [] })).toMatchObject({ code: 'option_invalid', option: 'secret' });
  });

  test('a route that is undefined has its default path', () => {
    const { signInButton } = clinicianLogin({ ...good, routes: { login: undefined } as never });
    expect(signInButton()).toContain('href="/auth/login?');
  });
});

describe('a guard that could never succeed throws at startup', () => {
  test('requireVerified without scope basic', () => {
    const clinician = clinicianLogin(good);
    expect(() => clinician.requireVerified()).toThrow(
      expect.objectContaining({ code: 'scope_not_requested', message: expect.stringContaining("'openid basic'") }),
    );
  });

  test('requireScope with a misspelled scope: the error lists the scopes, and does not say to request it', () => {
    expect(() => clinicianLogin(good).requireScope('emial')).toThrow(
      /'emial', which the service does not have\. The scopes are: .*email\.$/,
    );
  });

  test('requireScope with a scope that the site does not request', () => {
    expect(() => clinicianLogin(good).requireScope('email')).toThrow(
      expect.objectContaining({ code: 'scope_not_requested' }),
    );
  });
});

describe('ClinicianStrategy', () => {
  test('checks the same options and the verify function', () => {
    expect(() => new ClinicianStrategy({ ...good, clientId: 'x' } as never, () => undefined)).toThrow(
      /Did you mean 'clientID'/,
    );
    expect(() => new ClinicianStrategy(good, undefined as never)).toThrow(
      expect.objectContaining({ code: 'argument_invalid' }),
    );
    const withRequest = (_req: 1, _access: 2, _refresh: 3, _params: 4, _profile: 5, _done: 6) => undefined;
    expect(() => new ClinicianStrategy(good, withRequest)).toThrow(
      expect.objectContaining({ code: 'argument_invalid', message: expect.stringContaining('as for passport-oauth2') }),
    );
    expect(() => new ClinicianStrategy({ ...good, passReqToCallback: true }, withRequest)).not.toThrow();
    expect(() => new ClinicianStrategy({ ...good, pkce: false } as never, () => undefined)).toThrow(
      /'pkce' must be left out: it cannot be switched off/,
    );
    expect(() => new ClinicianStrategy({ ...good, pkce: true, state: true } as never, () => undefined)).not.toThrow();
  });
});
