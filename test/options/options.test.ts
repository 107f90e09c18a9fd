import { describe, expect, test } from '@jest/globals';
import { resolveLoginOptions } from '../../lib/express/login-options.js';
import { ClinicianStrategy, clinicianLogin, isClinicianError } from '../../lib/index.js';
import { testCertificates } from '../authorization-server/test-certificates.js';
import { membersOf } from '../documents.js';

const issuer = 'https://auth.service.example';
const apiURL = 'https://api.service.example';
const secret = 'planted-sealing-secret-0123456789-0123456789';
const callbackURL = 'https://app.example/auth/callback';
const good = { issuer, apiURL, clientID: 'app', clientSecret: 'planted-client-secret', callbackURL, secret };

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
    ['one secret twice', { secret: [secret, secret] }],
    ['ten secrets', { secret: Array.from({ length: 10 }, (_, index) => `${index} ${secret}`) }],
    [
      'plain http on loopback',
      { issuer: 'http://127.0.0.1:44', apiURL: 'http://[::1]:44', callbackURL: 'http://localhost/cb' },
    ],
    ['scope as one string', { scope: 'openid basic email' }],
    ['flow profile', { flow: 'profile', scope: ['basic', 'colleagues'] }],
    ['no apiURL without scope basic', { apiURL: undefined }],
    ['any scope without apiURL', { apiURL: '', scope: 'openid profile email', optionalScope: ['https://a.example/b'] }],
    ['profileRequired with scope basic', { profileRequired: true, scope: 'openid basic' }],
    ['profileRequired in the profile flow', { profileRequired: true, flow: 'profile' }],
    ...['https://api', 'https://x.example/apis', 'https://x.example/api/v2', 'https://v1'].map(
      (url): [string, object] => [`apiURL ${url}`, { apiURL: url }],
    ),
    [
      'a text without its placeholder, with braces, and no language',
      { texts: { errorCode: 'Error {}', lang: undefined } },
    ],
  ])('may have %s', (_name, change) => {
    expect(() => clinicianLogin({ ...good, ...change } as never)).not.toThrow();
  });

  test('may have a path and a final slash in apiURL', () => {
    const { site } = resolveLoginOptions({ ...good, apiURL: 'https://service.example/gateway/' } as never);
    expect(site.apiURL).toBe('https://service.example/gateway');
  });

  test('may have a route that is undefined, which has its default path', () => {
    const { signInButton } = clinicianLogin({ ...good, routes: { login: undefined } as never });
    expect(signInButton()).toContain('href="/auth/login?');
  });
});

describe('an invalid option throws an error that names the option and the fix', () => {
  test.each(['issuer', 'clientID', 'clientSecret', 'callbackURL', 'secret'])('%s is missing', (name) => {
    expect(errorOf({ ...good, [name]: undefined })).toMatchObject({
      code: 'option_invalid',
      message: expect.stringContaining(`'${name}' is missing`),
    });
  });

  test('the options are missing', () => {
    for (const start of [
      () => clinicianLogin(undefined as never),
      () => new ClinicianStrategy(undefined as never, () => undefined),
    ])
      expect(start).toThrow(expect.objectContaining({ code: 'option_invalid' }));
  });

  test.each(optionNames)('%s has a value of no known type', (name) => {
    expect(errorOf({ ...good, [name]: Symbol('value') })).toMatchObject({
      code: 'option_invalid',
      message: expect.stringContaining(`'${name}' must be`),
    });
  });

  test.each([
    ['clientId', 'clientID'],
    ['callbackUrl', 'callbackURL'],
    ['scopes', 'scope'],
    ['ape_url', 'apiURL'],
  ])('%s is misspelled: the error suggests %s', (wrong, right) => {
    expect(errorOf({ ...good, [wrong]: 'x' }).message).toContain(`'${wrong}'. Did you mean '${right}'?`);
  });

  test.each<[name: string, value: unknown, fix: string, others?: object]>([
    ['apiURL', undefined, 'is missing', { flow: 'profile' }],
    ['apiURL', undefined, 'is missing', { scope: 'openid basic' }],
    ['profileRequired', true, "Add it: scope: 'openid basic'"],
    ['profileRequired', false, 'Remove it', { flow: 'profile' }],
    ['scope', 'openid profile', "any scope is allowed. Remove 'profile'."],
    ['scope', 'basic groups', "Remove 'groups'.", { flow: 'profile' }],
    ['scope', 'colleagues', "must have 'basic'", { flow: 'profile' }],
    ['scope', ['openid', 'a"b'], 'RFC 6749 section 3.3 does not allow', { apiURL: undefined }],
    ['scope', ['profile'], "Add it: scope: 'openid profile'", { apiURL: undefined }],
    ['scope', [5], 'array of strings'],
    ['optionalScope', 'openid search', "Remove 'search'"],
    ['optionalScope', 7, "option 'optionalScope' must be a string"],
    ['apiURL', '', 'is missing', { optionalScope: 'basic' }],
    ['flow', 'implicit', "'openid' or 'profile'"],
    ['timeout', 0, 'milliseconds'],
    ['timeout', 3e9, 'milliseconds'],
    ['idleTimeout', 3600, '60_000'],
    ['postLogoutRedirectURI', new URL('https://app.example'), 'a string, or false'],
    ['postLogoutRedirectURI', 'http://app.example/bye', 'https'],
    ['clock', {}, "it has no now(). Pass an object with a now() function, such as a mock provider's clock."],
    ['issuer', 'http://auth.service.example', 'https'],
    ['issuer', 'auth.service.example', 'absolute URL'],
    ['issuer', 'https://user:pass@auth.service.example', 'user name'],
    ['issuer', 'https://auth.service.example/?a=b', 'query'],
    ['issuer', 'https://auth.service.example/#', 'fragment'],
    ['issuer', `${issuer}/.well-known/openid-configuration`, `Write '${issuer}',`],
    ['issuer', `${issuer}/.Well-Known/OpenID-Configuration/`, `Write '${issuer}',`],
    ['issuer', `${issuer}/.well-known/oauth-authorization-server/tenant`, `Write '${issuer}/tenant',`],
    ['apiURL', new URL(apiURL), 'a string'],
    ['apiURL', 'http://api.service.example', 'https'],
    ['apiURL', `${apiURL}/api/v1`, `Write '${apiURL}',`],
    ['apiURL', `${apiURL}/v1/`, `Write '${apiURL}',`],
    ['apiURL', `${apiURL}/gateway/api/v1/users/current`, `Write '${apiURL}/gateway',`],
    ['callbackURL', 'http://app.example/auth/callback', 'https'],
    ['callbackURL', 'http://127.0.0.1.evil.example/auth/callback', 'https'],
    ['callbackURL', '/auth/callback', 'absolute URL'],
    ['callbackURL', 'https://app.example/', 'its own path'],
    ['callbackURL', 'https://app.example/auth/callback?x=1', 'query'],
    ['callbackURL', 'https://APP.example/auth/callback', `Write '${callbackURL}',`],
    ['allowedEndpointOrigins', 'https://keys.service.example', 'an array'],
    ['allowedEndpointOrigins', ['https://keys.service.example/'], 'without a path or a final slash'],
    ['allowedEndpointOrigins', ['https://keys.service.example', 'http://keys.service.example'], 'https'],
    ['ca', '/etc/ssl/hospital.pem', 'PEM, not the path'],
    ['ca', testCertificates.authority.slice(0, 200), 'PEM, not the path'],
    ['ca', Buffer.from(testCertificates.authority), 'PEM, not the path'],
    ['secret', [], 'is missing'],
    ['secret', 'x'.repeat(31), 'randomBytes(32)'],
    ['secret', [secret, 'planted', secret], 'number 2 of 3 is shorter'],
    ['secret', Array.from({ length: 11 }, (_, index) => `${index} ${secret}`), 'at most 10 secrets, not 11'],
    ['secret', `${secret}\n`, 'white space'],
    ['texts', { signIn: '' }, "option 'signIn' must be a string that is not empty."],
    ['texts', { signIn: 'Hello {name}' }, 'has the unknown placeholder {name}. This text has none.'],
    ['texts', { errorCode: '{user}' }, 'has the unknown placeholder {user}. This text has {code}.'],
    ['texts', { lang: '"><script>' }, "option 'lang' must be a language tag such as 'de' or 'pt-BR'."],
    ['pages', { siteName: '' }, "option 'siteName' must be a string"],
  ])('%s: %p', (name, value, fix, others = {}) => {
    const { code, message } = errorOf({ ...good, ...others, [name]: value });
    expect(code).toBe('option_invalid');
    expect(message).toContain(`option '${name}'`);
    expect(message).toContain(fix);
  });

  test.each(['issuer', 'apiURL', 'shareScriptURL', 'clientID', 'clientSecret', 'callbackURL', 'postLogoutRedirectURI'])(
    '%s has white space at an end',
    (name) => {
      for (const value of [' x', 'x\n', '\u00a0x', '\ufeffx']) {
        const { message } = errorOf({ ...good, [name]: value });
        expect(message).toContain(`option '${name}' must not start or end with white space`);
      }
    },
  );
});

describe('the paths of a site', () => {
  test.each([
    [{ login: true }, 'routes.login'],
    [{ login: 'login' }, 'routes.login'],
    [{ login: '//evil.example' }, 'routes.login'],
    [{ login: '/\\evil.example' }, 'routes.login'],
    [{ base: 'auth' }, 'routes.base'],
    [{ base: '/auth/' }, 'routes.base'],
    [{ callback: '/cb' }, 'put the path into callbackURL'],
  ])('routes has the invalid value %p', (routes, words) => {
    expect(errorOf({ ...good, routes }).message).toContain(words);
  });

  test('one error lists all conflicts between paths', () => {
    const routes = { login: '/x', logout: '/x', forget: '/auth/callback', callback: '/cb' } as never;
    expect(errorOf({ ...good, routes }).message).toMatch(
      /routes\.callback is '\/cb'.*; routes\.logout and routes\.login .* same path.*; routes\.forget and callbackURL /,
    );
    expect(errorOf({ ...good, basePath: '/app', routes }).message).toMatch(
      /'\/auth\/callback', is not below basePath, '\/app'; routes\.logout/,
    );
  });

  test.each([
    '/',
    'app',
    '/app/',
    '//evil.example',
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

  test.each(['//evil.example/auth/callback', '//evil.example/done', '/a%2f..%2fb/auth/callback'])(
    'the path of callbackURL, which basePath is derived from, is %s',
    (path) => {
      expect(errorOf({ ...good, callbackURL: `https://app.example${path}` }).message).toContain('in another way');
    },
  );
});

test('shareScriptURL is the script of the share button', () => {
  const shareScriptURL = 'https://share.service.example/share.js';
  expect(clinicianLogin({ ...good, shareScriptURL }).shareButton({})).toContain(` src="${shareScriptURL}"`);
  expect(clinicianLogin(good).shareButton({})).not.toContain('<script');
});

test('a guard that could never succeed throws at startup, with the scope to add', () => {
  const clinician = clinicianLogin(good);
  const code = 'scope_not_requested';
  for (const [guard, message] of [
    [() => clinician.requireVerified(), "'openid basic'"],
    [() => clinician.requireScope('email'), "'openid email'"],
    [() => clinician.requireScope('emial'), "'emial', which the service does not have. The scopes are: "],
  ] as const)
    expect(guard).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
});

test('ClinicianStrategy checks the same options and the verify function', () => {
  const create =
    (options: object, verify: unknown = () => undefined) =>
    () =>
      new ClinicianStrategy({ ...good, ...options }, verify as never);
  const withRequest = (_req: 1, _access: 2, _refresh: 3, _params: 4, _profile: 5, _done: 6) => undefined;
  const ofOpenIDConnect = (_issuer: 1, profile: 2, done: (error: null, user: 2) => void) => done(null, profile);
  expect(create({ clientId: 'x' })).toThrow(/Did you mean 'clientID'/);
  expect(create({}, null)).toThrow(expect.objectContaining({ code: 'argument_invalid' }));
  expect(create({}, withRequest)).toThrow(/as for passport-oauth2/);
  expect(create({}, ofOpenIDConnect)).toThrow(/as for passport-oauth2/);
  expect(create({ passReqToCallback: true }, withRequest)).not.toThrow();
  expect(create({ skipUserProfile: true, flow: 'profile' })).toThrow(
    /'skipUserProfile' cannot be set in the 'profile'/,
  );
  expect(create({ pkce: false })).toThrow(/'pkce' must be left out: it cannot be switched off/);
  expect(create({ pkce: true, state: true })).not.toThrow();
});
