import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { clinicianLogin, isClinicianError, MemoryTokenStore } from '../../lib/index.js';
import { PostgresTokenStore } from '../../lib/postgres.js';
import { RedisTokenStore } from '../../lib/redis.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret, siteFor } from '../integration/site.js';

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

/** Calls each function that has an options object, with other options. */
const callers: Record<string, (options: unknown) => unknown> = {
  'requireLogin()': (options) => (siteFor(provider).clinician.requireLogin as AnyFunction)(options),
  'requireRecentLogin()': (options) => (siteFor(provider).clinician.requireRecentLogin as AnyFunction)(options),
  'requireVerified()': (options) => (siteFor(provider).clinician.requireVerified as AnyFunction)(options),
  'requireScope()': (options) => (siteFor(provider).clinician.requireScope as AnyFunction)('email', options),
  'requireProfile()': (options) => (siteFor(provider).clinician.requireProfile as AnyFunction)(() => true, options),
  'signInButton()': (options) => (siteFor(provider).clinician.signInButton as AnyFunction)(options),
  'shareButton()': (options) => (siteFor(provider).clinician.shareButton as AnyFunction)(options),
  'login()': (options) =>
    (siteFor(provider).clinician.login as AnyFunction)({ headers: {} }, { setHeader: () => undefined }, options),
  MemoryTokenStore: (options) => new MemoryTokenStore(options as never),
  RedisTokenStore: (options) => new RedisTokenStore(options as never),
  PostgresTokenStore: (options) => new PostgresTokenStore(options as never),
  'signIn()': (options) => (signIn as AnyFunction)(supertest.agent(siteFor(provider).app), provider, options),
  'signOut()': (options) => (signOut as AnyFunction)(supertest.agent(siteFor(provider).app), provider, options),
};

const MISSPELLED = [
  ['requireLogin()', 'recheckafter', 'recheckAfter'],
  ['requireRecentLogin()', 'max_age', 'maxAge'],
  ['requireVerified()', 'recheckAfer', 'recheckAfter'],
  ['requireScope()', 'recheckafter', 'recheckAfter'],
  ['requireProfile()', 'mesage', 'message'],
  ['signInButton()', 'lable', 'label'],
  ['signInButton()', 'return_to', 'returnTo'],
  ['signInButton()', 'thene', 'theme'],
  ['shareButton()', 'mesage', 'message'],
  ['login()', 'promt', 'prompt'],
  ['login()', 'max_age', 'maxAge'],
  ['RedisTokenStore', 'timout', 'timeout'],
  ['PostgresTokenStore', 'tabel', 'table'],
  ['signOut()', 'logoutpath', 'logoutPath'],
] as const;

describe('a text of the pages', () => {
  const start = (texts: object) => siteFor(provider, { texts } as never);

  test.each([
    ['signin', 'signIn'],
    ['backToHome', 'backHome'],
    ['deniedTitel', 'deniedTitle'],
  ])('named %s is refused with the closest name', async (name, closest) => {
    expect(await errorOf(() => start({ [name]: 'text' }))).toEqual([
      'option_invalid',
      `passport-clinician: option 'texts': unknown option '${name}'. Did you mean '${closest}'?`,
    ]);
  });

  test.each([
    [{ signIn: '' }, "option 'signIn' must be a string that is not empty."],
    [{ signIn: 5 }, "option 'signIn' must be a string that is not empty."],
    [{ signIn: 'Hello {name}' }, "option 'signIn' has the unknown placeholder {name}. This text has none."],
    [{ errorCode: '{user}' }, "option 'errorCode' has the unknown placeholder {user}. This text has {code}."],
    [{ lang: 'en us' }, "option 'lang' must be a language tag such as 'de' or 'pt-BR'."],
    [{ lang: '"><script>' }, "option 'lang' must be a language tag such as 'de' or 'pt-BR'."],
  ])('%j is refused', async (texts, problem) => {
    expect(await errorOf(() => start(texts))).toEqual([
      'option_invalid',
      `passport-clinician: option 'texts': ${problem}`,
    ]);
  });

  test('may leave out a placeholder, and may have braces', () => {
    expect(() => start({ errorCode: 'Error {}', lang: undefined })).not.toThrow();
  });
});

describe('the look of the pages', () => {
  const start = (pages: object) => siteFor(provider, { pages } as never);

  test.each([
    ['logoUrl', 'logoURL'],
    ['styleshet', 'stylesheet'],
    ['sitename', 'siteName'],
  ])('named %s is refused with the closest name', async (name, closest) => {
    expect(await errorOf(() => start({ [name]: '/logo.svg' }))).toEqual([
      'option_invalid',
      `passport-clinician: option 'pages': unknown option '${name}'. Did you mean '${closest}'?`,
    ]);
  });

  test('with an empty name is refused', async () => {
    expect((await errorOf(() => start({ siteName: '' })))[1]).toContain("option 'siteName' must be a string");
  });
});

describe('an unknown option is refused with the closest one', () => {
  test('of each guard that has options', () => {
    const guards = Object.keys(siteFor(provider).clinician).filter((name) => /^require(?!SameOrigin)/.test(name));
    expect(guards.length).toBeGreaterThan(4);
    expect(MISSPELLED.map(([caller]) => caller)).toEqual(expect.arrayContaining(guards.map((name) => `${name}()`)));
  });

  test.each(MISSPELLED)('%s with %s', async (caller, name, closest) => {
    const [code, message] = await errorOf(() => callers[caller]?.({ [name]: 'value' }));
    expect([code, message]).toEqual([
      'option_invalid',
      `passport-clinician: ${caller}: unknown option '${name}'. Did you mean '${closest}'?`,
    ]);
  });

  test('an option that is like no other is refused with the names of all', async () => {
    expect(await errorOf(() => callers['requireLogin()']?.({ colour: 'red' }))).toEqual([
      'option_invalid',
      "passport-clinician: requireLogin(): unknown option 'colour'. The options are: recheckAfter.",
    ]);
  });

  test('a route', async () => {
    const routes = { logOutt: '/bye' };
    expect(await errorOf(() => clinicianLogin({ ...loginOptions(provider), routes: routes as never }))).toEqual([
      'option_invalid',
      "passport-clinician: there is no route 'logOutt'. Did you mean 'logout'?",
    ]);
  });

  test('the options of a call of the resource API', async () => {
    const { app, clinician } = siteFor(provider);
    app.get('/calls', async (req, res) => {
      const api = clinician.api(req) as unknown as Record<string, AnyFunction>;
      res.json([
        await errorOf(() => api.profile?.({ max_wait: 5 })),
        await errorOf(() => api.colleagues?.({ perpage: 5 })),
        await errorOf(() => api.colleagues?.().page(1, { per_page: 5 })),
        await errorOf(() => api.rateLimit?.({ maxWait: 5 })),
        await errorOf(() => api.profile?.(5)),
        await errorOf(() => api.profile?.({ maxWait: '5' })),
      ]);
    });
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'connected' });
    expect((await agent.get('/calls').expect(200)).body).toEqual([
      ['option_invalid', "passport-clinician: profile(): unknown option 'max_wait'. Did you mean 'maxWait'?"],
      ['option_invalid', "passport-clinician: colleagues(): unknown option 'perpage'. Did you mean 'perPage'?"],
      ['option_invalid', "passport-clinician: colleagues().page(): unknown option 'per_page'. Did you mean 'perPage'?"],
      ['option_invalid', "passport-clinician: rateLimit(): unknown option 'maxWait'. The options are: signal."],
      [
        'option_invalid',
        'passport-clinician: profile(): the options must be an object, not a number. The options are: signal, maxWait.',
      ],
      [
        'option_invalid',
        "passport-clinician: profile(): option 'maxWait' must be a number of milliseconds, 0 or more.",
      ],
    ]);
  });
});

describe('several mistakes are one error', () => {
  test('with each unknown name, and its fix', async () => {
    const { clientID, issuer, ...others } = loginOptions(provider);
    const options = { ...others, clientId: clientID, colour: 1, shade: 2 };
    const [code, message] = await errorOf(() => siteFor(provider, options as never));
    expect(code).toBe('option_invalid');
    expect(message.split('\n')).toEqual([
      'passport-clinician: several options are wrong:',
      "  unknown option 'clientId'. Did you mean 'clientID'?",
      expect.stringMatching(/^ {2}unknown options 'colour', 'shade'\. The options are: issuer, /),
    ]);
  });

  test('with the number of unknown names that it does not list', async () => {
    const many = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`colour${index}`, 1]));
    const [code, message] = await errorOf(() => siteFor(provider, many as never));
    expect([code, message.split('\n').at(-1)]).toEqual(['option_invalid', '  unknown options that are not listed: 3.']);
  });

  test('with each missing option and wrong value, and no secret', async () => {
    const options = {
      ...loginOptions(provider),
      issuer: undefined,
      clientSecret: 5,
      secret: 'a-weak-secret',
      scope: 7,
      timeout: '1s',
    };
    const [code, message] = await errorOf(() => siteFor(provider, options as never));
    expect(code).toBe('option_invalid');
    const [first, ...lines] = message.split('\n');
    expect(first).toBe('passport-clinician: several options are wrong:');
    expect(lines.map((line) => /^ {2}option '(\w+)' /.exec(line)?.[1]).sort()).toEqual([
      'clientSecret',
      'issuer',
      'scope',
      'secret',
      'timeout',
    ]);
    expect(message).not.toContain('a-weak-secret');
  });
});

describe('an address or a secret that was copied with something more', () => {
  const issuer = 'https://service.example';
  const apiURL = 'https://api.example';
  const secret = sealingSecret;

  test.each<[option: string, value: string | string[], fix: string]>([
    ...[
      'issuer',
      'apiURL',
      'shareScriptURL',
      'clientID',
      'clientSecret',
      'callbackURL',
      'postLogoutRedirectURI',
    ].flatMap((name) =>
      [' x', 'x\n', '\u00a0x', '\ufeffx'].map((value): [string, string, string] => [name, value, 'white space']),
    ),
    ['secret', `${secret}\n`, 'white space'],
    ['secret', [secret, ` ${secret}`], 'white space'],
    ['apiURL', `${apiURL}/api/v1`, `Write '${apiURL}',`],
    ['apiURL', `${apiURL}/api/v1/`, `Write '${apiURL}',`],
    ['apiURL', `${apiURL}/api`, `Write '${apiURL}',`],
    ['apiURL', `${apiURL}/v1/`, `Write '${apiURL}',`],
    ['apiURL', `${apiURL}/gateway/api/v1/users/current`, `Write '${apiURL}/gateway',`],
    ['issuer', `${issuer}/.well-known/openid-configuration`, `Write '${issuer}',`],
    ['issuer', `${issuer}/.well-known/`, `Write '${issuer}',`],
    ['issuer', `${issuer}/.Well-Known/OpenID-Configuration`, `Write '${issuer}',`],
    ['issuer', `${issuer}/.well-known/openid-configuration/`, `Write '${issuer}',`],
    ['issuer', `${issuer}/.well-known/oauth-authorization-server/tenant`, `Write '${issuer}/tenant',`],
  ])('%s: %j', async (name, value, fix) => {
    const [code, message] = await errorOf(() => clinicianLogin({ ...loginOptions(provider), [name]: value }));
    expect(code).toBe('option_invalid');
    expect(message).toContain(`option '${name}' must `);
    expect(message).toContain(fix);
    if (name === 'secret' || name === 'clientSecret') expect(message).not.toContain(String(value).trim());
  });

  test.each(['https://api', 'https://api.example', 'https://x.example/apis', 'https://x.example/api/v2', 'https://v1'])(
    'apiURL may be %s',
    (value) => {
      expect(() => clinicianLogin({ ...loginOptions(provider), apiURL: value })).not.toThrow();
    },
  );
});

describe('a value that express-openid-connect would understand', () => {
  test.each<[options: object, ...fix: string[]]>([
    [{ idleTimeout: 3600 }, 'milliseconds', '60_000'],
    [{ absoluteTimeout: 28_800 }, 'milliseconds', '60_000'],
    [{ routes: { callback: '/callback' } }, 'remove it', 'callbackURL'],
  ])('%j is refused with what to do', async (options, ...fix) => {
    const [, message] = await errorOf(() => clinicianLogin({ ...loginOptions(provider), ...options }));
    for (const words of fix) expect(message).toContain(words);
  });
});

describe('options that are no object of options', () => {
  test.each([
    [1, 'a number'],
    ['email', 'a string'],
    [null, 'null'],
    [[], 'an array'],
    [true, 'a boolean'],
    [() => undefined, 'a function'],
  ])('requireLogin(%p)', async (options, kind) => {
    expect(await errorOf(() => callers['requireLogin()']?.(options))).toEqual([
      'option_invalid',
      `passport-clinician: requireLogin(): the options must be an object, not ${kind}. The options are: recheckAfter.`,
    ]);
  });

  test.each(Object.keys(callers).filter((name) => name !== 'signIn()'))('%s with a number', async (name) => {
    const [code, message] = await errorOf(() => callers[name]?.(1));
    expect(code).toBe('option_invalid');
    expect(message).toContain(`${name}: the options must be an object, not a number.`);
  });

  test('a value of another type', async () => {
    expect(await errorOf(() => callers['requireLogin()']?.({ recheckAfter: '5' }))).toEqual([
      'option_invalid',
      "passport-clinician: requireLogin(): option 'recheckAfter' must be a number of milliseconds, 0 or more.",
    ]);
    expect(await errorOf(() => callers['signInButton()']?.({ theme: 'drak' }))).toEqual([
      'option_invalid',
      "passport-clinician: signInButton(): option 'theme' must be 'light', 'dark' or 'auto'.",
    ]);
  });

  test('null among the texts of a share button is left out: they may come from a database', () => {
    const { clinician } = siteFor(provider);
    const button = (clinician.shareButton as AnyFunction)({ message: null, subject: 'A case' });
    expect(button).toContain('subject=A%20case');
    expect(button).not.toContain('message=');
    expect(button).not.toContain('null');
  });
});

describe('a store without its methods is refused when the site starts', () => {
  const start = (options: object) => errorOf(() => clinicianLogin({ ...loginOptions(provider), ...options }));
  const store = () => new MemoryTokenStore();

  test.each<[string, unknown, string]>([
    ['new Map()', new Map(), ': it has no put(), swap(), grantsOf() and lock()'],
    ['an empty object', {}, ': it has no get(), put(), swap(), delete(), grantsOf() and lock()'],
    ['a promise', Promise.resolve(), ': it has no get(), put(), swap(), delete(), grantsOf() and lock()'],
    ['a store without lock()', Object.assign(store(), { lock: undefined }), ': it has no lock()'],
    ['the class', MemoryTokenStore, ''],
  ])('tokenStore: %s', async (_name, tokenStore, missing) => {
    expect(await start({ tokenStore })).toEqual([
      'option_invalid',
      `passport-clinician: option 'tokenStore' must be a token store${missing}. Pass new MemoryTokenStore(), new RedisTokenStore({ client }) of 'passport-clinician/redis', new PostgresTokenStore({ pool }) of 'passport-clinician/postgres', or an object with all methods of TokenStore.`,
    ]);
  });

  test('clock: {}', async () => {
    expect(await start({ clock: {} })).toEqual([
      'option_invalid',
      "passport-clinician: option 'clock' must be a clock: it has no now(). Pass an object with a now() function, such as a mock provider's clock.",
    ]);
  });
});

describe('hostile options objects', () => {
  const start = (options: object) => clinicianLogin(options as never);

  test('an error of a getter reaches the caller', () => {
    const failing = { ...loginOptions(provider) };
    const cause = new Error('planned error');
    const get = () => {
      throw cause;
    };
    Object.defineProperty(failing, 'onEvent', { get, enumerable: true });
    expect(() => start(failing)).toThrow(cause);
    expect(() => callers['requireLogin()']?.(Object.defineProperty({}, 'recheckAfter', { get }))).toThrow(cause);
  });

  test('a getter is called once: the value that is used was checked', () => {
    let calls = 0;
    const get = () => {
      calls += 1;
      return calls === 1 ? undefined : 'not a function';
    };
    for (const name of ['onEvent', 'onError']) {
      calls = 0;
      start(Object.defineProperty({ ...loginOptions(provider) }, name, { get, enumerable: true }));
      expect([name, calls]).toEqual([name, 1]);
    }
  });

  test('a member __proto__ is an unknown option, and changes no prototype', async () => {
    const options = { ...loginOptions(provider), ...JSON.parse('{"a":1}') };
    Object.defineProperty(options, '__proto__', { value: { polluted: true }, enumerable: true });
    delete options.a;
    expect((await errorOf(() => start(options)))[0]).toBe('option_invalid');
    expect((await errorOf(() => callers['requireLogin()']?.(JSON.parse('{"__proto__":{"recheckAfter":1}}'))))[0]).toBe(
      'option_invalid',
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('the names of members of Object.prototype are unknown options', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty'])
      expect((await errorOf(() => callers['requireLogin()']?.({ [name]: 1 })))[0]).toBe('option_invalid');
  });

  test('an object without a prototype, and symbols, are accepted', () => {
    const options = Object.assign(Object.create(null), loginOptions(provider), { [Symbol('a')]: 1 });
    expect(() => start(options)).not.toThrow();
    expect(callers['requireLogin()']?.(Object.assign(Object.create(null), { recheckAfter: 1 }))).toBeInstanceOf(
      Function,
    );
  });

  test('a value without a text form is refused by its type', async () => {
    const values = [Symbol('a'), Object.create(null), { toString: 5 }, 10n];
    for (const value of values) {
      for (const name of ['clientID', 'scope', 'timeout', 'routes', 'shareScriptURL']) {
        if (name === 'routes' && typeof value === 'object') continue;
        const [code, message] = await errorOf(() => start({ ...loginOptions(provider), [name]: value }));
        expect([code, message]).toEqual(['option_invalid', expect.stringContaining(`option '${name}' must be`)]);
      }
    }
  });

  test('an object with many options, or a long name, is refused with a short message', async () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`option${index}`, index]));
    const long = { ['x'.repeat(1_000_000)]: 1 };
    const { clinician } = siteFor(provider);
    for (const options of [many, long]) {
      const [code, message] = await errorOf(() => (clinician.requireLogin as AnyFunction)(options));
      expect(code).toBe('option_invalid');
      expect(message.length).toBeLessThan(300);
    }
  });
});
