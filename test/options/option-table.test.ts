import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { clinicianLogin, isClinicianError, MemoryTokenStore } from '../../lib/index.js';
import { PostgresTokenStore } from '../../lib/postgres.js';
import { RedisTokenStore } from '../../lib/redis.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, siteFor } from '../integration/site.js';

// biome-ignore lint/suspicious/noExplicitAny: wrong arguments of every type
type AnyFunction = (...args: any[]) => any;

async function errorOf(run: () => unknown): Promise<[code: string, message: string]> {
  try {
    await run();
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    return [error.code, error.message];
  }
  throw new Error('the call was accepted');
}

const member = (name: string) => (siteFor(provider).clinician as unknown as Record<string, AnyFunction>)[name];
const agent = () => supertest.agent(siteFor(provider).app);
const start = (options: object) => clinicianLogin(options as never);

/** Calls each function that has an options object, with other options. */
const callers: Record<string, (options: unknown) => unknown> = {
  'requireLogin()': (options) => member('requireLogin')?.(options),
  'requireRecentLogin()': (options) => member('requireRecentLogin')?.(options),
  'requireVerified()': (options) => member('requireVerified')?.(options),
  'requireScope()': (options) => member('requireScope')?.('email', options),
  'requireProfile()': (options) => member('requireProfile')?.(() => true, options),
  'signInButton()': (options) => member('signInButton')?.(options),
  'shareButton()': (options) => member('shareButton')?.(options),
  'login()': (options) => member('login')?.({ headers: {} }, { setHeader: () => undefined }, options),
  MemoryTokenStore: (options) => new MemoryTokenStore(options as never),
  RedisTokenStore: (options) => new RedisTokenStore(options as never),
  PostgresTokenStore: (options) => new PostgresTokenStore(options as never),
  'signOut()': (options) => (signOut as AnyFunction)(agent(), provider, options),
};
const requireLogin = callers['requireLogin()'] as AnyFunction;

const MISSPELLED = [
  ['requireLogin()', 'recheckafter', 'recheckAfter'],
  ['requireRecentLogin()', 'max_age', 'maxAge'],
  ['requireVerified()', 'recheckAfer', 'recheckAfter'],
  ['requireScope()', 'recheckafter', 'recheckAfter'],
  ['requireProfile()', 'mesage', 'message'],
  ['signInButton()', 'return_to', 'returnTo'],
  ['shareButton()', 'mesage', 'message'],
  ['login()', 'promt', 'prompt'],
  ['RedisTokenStore', 'timout', 'timeout'],
  ['PostgresTokenStore', 'tabel', 'table'],
  ['signOut()', 'logoutpath', 'logoutPath'],
] as const;

describe('an unknown option is refused with the closest one', () => {
  test('of each guard that has options', () => {
    const guards = Object.keys(siteFor(provider).clinician).filter((name) => /^require(?!SameOrigin)/.test(name));
    expect(guards.length).toBeGreaterThan(4);
    expect(MISSPELLED.map(([caller]) => caller)).toEqual(expect.arrayContaining(guards.map((name) => `${name}()`)));
  });

  test.each(MISSPELLED)('%s with %s', async (caller, name, closest) => {
    expect(await errorOf(() => callers[caller]?.({ [name]: 'value' }))).toEqual([
      'option_invalid',
      `passport-clinician: ${caller}: unknown option '${name}'. Did you mean '${closest}'?`,
    ]);
  });

  test.each([
    [{ texts: { signin: 'text' } }, "option 'texts': unknown option 'signin'. Did you mean 'signIn'?"],
    [{ pages: { logoUrl: '/logo.svg' } }, "option 'pages': unknown option 'logoUrl'. Did you mean 'logoURL'?"],
    [{ routes: { logOutt: '/bye' } }, "there is no route 'logOutt'. Did you mean 'logout'?"],
  ])('%j', async (options, problem) => {
    expect(await errorOf(() => start({ ...loginOptions(provider), ...options }))).toEqual([
      'option_invalid',
      `passport-clinician: ${problem}`,
    ]);
  });

  test('or with the names of all, if it is like no other', async () => {
    expect(await errorOf(() => requireLogin({ colour: 'red' }))).toEqual([
      'option_invalid',
      "passport-clinician: requireLogin(): unknown option 'colour'. The options are: recheckAfter.",
    ]);
  });
});

test.each([
  [{ clientId: 'app' }, 'options.md#clientid'],
  [{ redirectUri: '/' }, 'errors.md#option_invalid'],
  [{ routes: { login: 7 } }, 'options.md#routeslogin'],
  [{ clientId: 'app', timeOut: 7 }, 'errors.md#option_invalid'],
])('%j: the error names the heading of the documentation', async (options, heading) => {
  await expect(async () => start({ ...loginOptions(provider), ...options })).rejects.toMatchObject({
    see: `docs/reference/${heading}`,
  });
});

describe('several mistakes are one error', () => {
  test('with each unknown name, and its fix', async () => {
    const { clientID, issuer, ...others } = loginOptions(provider);
    const [code, message] = await errorOf(() => start({ ...others, clientId: clientID, colour: 1, shade: 2 }));
    expect(code).toBe('option_invalid');
    expect(message.split('\n')).toEqual([
      'passport-clinician: several options are wrong:',
      "  unknown option 'clientId'. Did you mean 'clientID'?",
      expect.stringMatching(/^ {2}unknown options 'colour', 'shade'\. The options are: issuer, /),
    ]);
  });

  test('with each missing option and wrong value, and no secret', async () => {
    const wrong = { issuer: undefined, clientSecret: 5, secret: 'a-weak-secret', scope: 7, timeout: '1s' };
    const [code, message] = await errorOf(() => start({ ...loginOptions(provider), ...wrong }));
    const [first, ...lines] = message.split('\n');
    expect([code, first]).toEqual(['option_invalid', 'passport-clinician: several options are wrong:']);
    const names = lines.map((line) => /^ {2}option '(\w+)' /.exec(line)?.[1]);
    expect(names.sort()).toEqual(['clientSecret', 'issuer', 'scope', 'secret', 'timeout']);
    expect(message).not.toContain('a-weak-secret');
  });

  test('which is short for an object with many options, or a long name', async () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`option${index}`, index]));
    for (const options of [many, { ['x'.repeat(1_000_000)]: 1 }]) {
      const [code, message] = await errorOf(() => requireLogin(options));
      expect(code).toBe('option_invalid');
      expect(message.length).toBeLessThan(300);
    }
    expect((await errorOf(() => requireLogin(many)))[1]).toContain('unknown options that are not listed: 199990.');
  });
});

describe('options that are no object of options', () => {
  test.each([
    [null, 'null'],
    [[], 'an array'],
    [() => undefined, 'a function'],
  ])('requireLogin(%p)', async (options, kind) => {
    expect(await errorOf(() => requireLogin(options))).toEqual([
      'option_invalid',
      `passport-clinician: requireLogin(): the options must be an object, not ${kind}. The options are: recheckAfter.`,
    ]);
  });

  test.each(Object.keys(callers))('%s with a number', async (name) => {
    const [code, message] = await errorOf(() => callers[name]?.(1));
    expect(code).toBe('option_invalid');
    expect(message).toContain(`${name}: the options must be an object, not a number.`);
  });

  test('null among the texts of a share button is left out: they may come from a database', () => {
    const button = callers['shareButton()']?.({ message: null, subject: 'A case' });
    expect(button).toContain('subject=A%20case');
    expect(button).not.toMatch(/message=|null/);
  });
});

test('the options of a call of the resource API are checked', async () => {
  const { app, clinician } = siteFor(provider);
  app.get('/calls', async (req, res) => {
    const api = clinician.api(req) as unknown as Record<string, AnyFunction>;
    res.json([
      await errorOf(() => api.profile?.({ max_wait: 5 })),
      await errorOf(() => api.colleagues?.({ perpage: 5 })),
      await errorOf(() => api.colleagues?.().page(1, { per_page: 5 })),
      await errorOf(() => api.rateLimit?.({ maxWait: 5 })),
      await errorOf(() => api.profile?.({ maxWait: '5' })),
    ]);
  });
  const browser = supertest.agent(app);
  await signIn(browser, provider, { as: 'connected' });
  expect((await browser.get('/calls').expect(200)).body).toEqual([
    ['option_invalid', "passport-clinician: profile(): unknown option 'max_wait'. Did you mean 'maxWait'?"],
    ['option_invalid', "passport-clinician: colleagues(): unknown option 'perpage'. Did you mean 'perPage'?"],
    ['option_invalid', "passport-clinician: colleagues().page(): unknown option 'per_page'. Did you mean 'perPage'?"],
    ['option_invalid', "passport-clinician: rateLimit(): unknown option 'maxWait'. The options are: signal."],
    ['option_invalid', "passport-clinician: profile(): option 'maxWait' must be a number of milliseconds, 0 or more."],
  ]);
});

describe('an object without its methods is refused when the site starts', () => {
  const withoutLock = Object.assign(new MemoryTokenStore(), { lock: undefined });
  test.each<[string, unknown, string]>([
    ['new Map()', new Map(), ': it has no put(), swap(), grantsOf() and lock()'],
    ['a promise', Promise.resolve(), ': it has no get(), put(), swap(), delete(), grantsOf() and lock()'],
    ['a store without lock()', withoutLock, ': it has no lock()'],
    ['the class', MemoryTokenStore, ''],
  ])('tokenStore: %s', async (_name, tokenStore, missing) => {
    expect(await errorOf(() => start({ ...loginOptions(provider), tokenStore }))).toEqual([
      'option_invalid',
      `passport-clinician: option 'tokenStore' must be a token store${missing}. Pass new MemoryTokenStore(), new RedisTokenStore({ client }) of 'passport-clinician/redis', new PostgresTokenStore({ pool }) of 'passport-clinician/postgres', or an object with all methods of TokenStore.`,
    ]);
  });
});

describe('hostile options objects', () => {
  test('an error of a getter reaches the caller, and a getter is called once: the value that is used was checked', () => {
    const cause = new Error('planned error');
    const fail = () => {
      throw cause;
    };
    expect(() => requireLogin(Object.defineProperty({}, 'recheckAfter', { get: fail, enumerable: true }))).toThrow(
      cause,
    );
    let calls = 0;
    const get = () => {
      calls += 1;
      return calls === 1 ? undefined : 'not a function';
    };
    start(Object.defineProperty({ ...loginOptions(provider) }, 'onEvent', { get, enumerable: true }));
    expect(calls).toBe(1);
  });

  test('members of Object.prototype are unknown options, and change no prototype', async () => {
    const polluted = JSON.parse('{"__proto__":{"recheckAfter":1}}');
    for (const options of [polluted, { constructor: 1 }, { toString: 1 }, { hasOwnProperty: 1 }])
      expect((await errorOf(() => requireLogin(options)))[0]).toBe('option_invalid');
    expect(({} as { recheckAfter?: number }).recheckAfter).toBeUndefined();
  });

  test('an object without a prototype, and symbols, are accepted', () => {
    const options = Object.assign(Object.create(null), loginOptions(provider), { [Symbol('a')]: 1 });
    expect(() => start(options)).not.toThrow();
  });
});
