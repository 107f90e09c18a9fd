import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Express, Request } from 'express';
import supertest, { type Response } from 'supertest';
import type { AuthenticateOptions, ClinicianEvent } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { LOGIN_PATHS, type LoginPath, PASSPORT_PATHS, type Settings, siteOf } from '../integration/login-paths.js';
import { navigation, refreshOf, sameOriginForm, siteFor } from '../integration/site.js';
import { siteAt, strategySite } from '../integration/strategy-site.js';

let provider: MockProvider;
/** The codes of the events. */
let codes: (string | undefined)[];
const onEvent = ({ code }: ClinicianEvent) => void codes.push(code);
/** Passport has its own response to `fail()`. */
const expectRefused = ({ status }: Response, code = 'user_changed') =>
  expect([[401, 403].includes(status), codes.at(-1)]).toEqual([true, code]);
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
beforeEach(() => {
  codes = [];
});
afterAll(() => provider.stop());

type SameSite = 'lax' | 'strict';
type User = 'nobody' | 'the same user' | 'another user' | 'a local account';

/** What has led the browser to the start of a login. */
const STARTS = {
  'own page': { 'Sec-Fetch-Site': 'same-origin' },
  link: { 'Sec-Fetch-Site': 'cross-site' },
  form: { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
  'sibling host': { 'Sec-Fetch-Site': 'same-site' },
  none: { 'Sec-Fetch-Site': 'none' },
  'no header': {},
} as const;
type Start = keyof typeof STARTS;

/** Sends the session cookie as a browser does: a SameSite=Strict one not after a page of another site. */
class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #app: Express | Server;
  readonly #sameSite: SameSite;

  constructor(app: Express | Server, sameSite: SameSite = 'lax') {
    this.#app = app;
    this.#sameSite = sameSite;
  }

  get sessionCookie(): string | undefined {
    return this.#cookies.get('connect.sid');
  }

  async send(path: string, headers: Record<string, string> = STARTS['own page'], method: 'get' | 'post' = 'get') {
    const isForeign =
      'Omits' in headers || !['same-origin', 'same-site', 'none'].includes(headers['Sec-Fetch-Site'] ?? '');
    const isOmitted = isForeign && (this.#sameSite === 'strict' || method === 'post');
    const sent = [...this.#cookies].filter(([name]) => name !== 'connect.sid' || !isOmitted);
    const cookie = sent.map((pair) => pair.join('=')).join('; ');
    const response = await supertest(this.#app)
      [method](path)
      .set({ ...navigation, ...headers, ...(cookie && { Cookie: cookie }) });
    for (const line of (response.headers['set-cookie'] ?? []) as string[]) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  /** Signs in at the service, and requests the callback. @returns the response of the site after the pages in between */
  async finish(location: string, as: string, steps: string[] = [], from = STARTS.link as object): Promise<Response> {
    const back = new URL(await provider.signIn(location, { as }));
    let response = await this.send(back.pathname + back.search, { ...from });
    const next = refreshOf(response.text) || buttonOf(response.text);
    if (buttonOf(response.text) !== '') steps.push('a click');
    if (next !== '') response = await this.send(next);
    if (response.headers.location === '/auth/callback') response = await this.send('/auth/callback');
    return response;
  }

  /** Signs in from a page of the site. */
  async signIn(path: string, as: string): Promise<Response> {
    return await this.finish((await this.send(path)).headers.location as string, as);
  }

  async user(): Promise<unknown> {
    return (await this.send('/')).body;
  }
}

/** @returns the address of the button of the page that waits for a click. */
function buttonOf(page: string): string {
  if (!page.includes('<h1>Sign in to this site?</h1>')) return '';
  return /href="([^"]+)"><span>Continue</.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
}

interface Way {
  site: (settings: Settings) => { app: Express };
  path: string;
  users: readonly User[];
}

const CLINICIANS: readonly User[] = ['nobody', 'the same user', 'another user'];
const USERS: readonly User[] = [...CLINICIANS, 'a local account'];

/** A site on which Passport can sign in a local account. */
function withLocalAccount<Site extends { app: Express }>(site: Site): Site {
  site.app.post('/local', (req, res, next) => {
    const user = { id: String(req.query.id) } as Express.User;
    req.logIn(user, (error) => (error ? next(error) : res.send('done')));
  });
  return site;
}

const way = (path: LoginPath, start: string, users = USERS): Way => ({
  site: (settings) => withLocalAccount(siteOf(provider, path, settings)),
  path: start,
  users,
});

/** The login routes, which return a signed-in user to the page. */
const KEEPING: Record<string, Way> = {
  'the drop-in': way('drop-in', '/auth/login?returnTo=/me', CLINICIANS),
  'the drop-in, with the session of Passport': way('drop-in, Passport session', '/auth/login?returnTo=/me'),
  'clinician.strategy': way('Passport first', '/start'),
};

/** The routes of a site that start every login. */
const STARTING: Record<string, Way> = {
  'clinician.login()': {
    site(settings) {
      const site = siteOf(provider, 'drop-in, Passport session', settings);
      site.app.all('/more', (req, res, next) => site.clinician.login(req, res, { returnTo: '/me' }).catch(next));
      return withLocalAccount(site);
    },
    path: '/more',
    users: USERS,
  },
  'a link that asks for more': way('Passport first', '/auth/login?returnTo=/me&prompt=consent'),
  ClinicianStrategy: {
    site: (settings) => withLocalAccount(strategySite(provider, settings)),
    path: '/start',
    users: USERS,
  },
};

/** Starts a login, and finishes it as `verified`. @returns what the user sees, and whether anything has changed */
async function outcomeOf(browser: Browser, path: string, start: Start, user: User): Promise<string> {
  if (user === 'a local account') await browser.send('/local?id=ada', STARTS['own page'], 'post');
  if (user === 'the same user') await browser.signIn(path, 'verified');
  if (user === 'another user') await browser.signIn(path, 'connected');
  const [before, cookie] = [await browser.user(), browser.sessionCookie];
  const requests = provider.requests.length;
  const steps: string[] = [];
  const started = await browser.send(path, STARTS[start], start === 'form' ? 'post' : 'get');
  const location = String(started.headers.location);
  if (!location.startsWith(provider.issuer)) {
    expect([await browser.user(), browser.sessionCookie, provider.requests.length]).toEqual([before, cookie, requests]);
    if (started.status >= 400) return 'refused';
    expect(location).toBe('/me');
    return 'kept';
  }
  const end = await browser.finish(location, 'verified', steps);
  const isRenewed = browser.sessionCookie !== cookie;
  const isRevoked = provider.requests.slice(requests).some(({ path: requested }) => requested === '/oauth/revoke');
  if (end.status !== 302) {
    expectRefused(end);
    // The new tokens are revoked, and nothing else changes.
    expect([await browser.user(), isRenewed, isRevoked]).toEqual([before, false, true]);
    return [...steps, 'user_changed'].join(', ');
  }
  expect([end.status, end.headers.location, isRenewed]).toEqual([302, '/me', true]);
  const after = await browser.user();
  const isSame = JSON.stringify(after) === JSON.stringify(before);
  expect([JSON.stringify(after).includes('id'), isSame]).toEqual([true, user === 'the same user']);
  return [...steps, isSame ? 'renewed' : 'signed in'].join(', ');
}

/** @returns the outcomes of a table by start and user. */
function rowsOf(table: string): (readonly [Start, readonly string[]])[] {
  const lines = table.trim().split('\n').slice(1);
  return lines.map((line) => line.trim().split(/ {2,}/)).map(([start, ...outcomes]) => [start as Start, outcomes]);
}

async function expectTable(tested: Way, sameSite: SameSite, table: string): Promise<void> {
  const { app } = tested.site({ session: { cookie: { sameSite } }, onEvent });
  const server = createServer(app).listen(0);
  try {
    for (const [start, expected] of rowsOf(table)) {
      const users = USERS.filter((user) => tested.users.includes(user));
      const outcomes: string[] = [];
      for (const user of users) outcomes.push(await outcomeOf(new Browser(server, sameSite), tested.path, start, user));
      expect([start, outcomes]).toEqual([start, expected.slice(0, users.length)]);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** What a start leads to, for each user who is signed in. "kept": no login starts, and the user returns to the page. */
describe.each(Object.entries(KEEPING))('a login by %s', (_name, tested) => {
  test.each([
    [
      'lax',
      `
      start         nobody     the same user  another user  a local account
      own page      signed in  renewed        user_changed  user_changed
      link          signed in  kept           kept          user_changed
      form          refused    refused        refused       refused
      sibling host  signed in  kept           kept          user_changed
      none          signed in  kept           kept          user_changed
      no header     signed in  kept           kept          user_changed
      `,
    ],
    [
      'strict',
      `
      start         nobody              the same user     another user           a local account
      own page      signed in           renewed           user_changed           user_changed
      link          a click, signed in  a click, renewed  a click, user_changed  a click, user_changed
      form          refused             refused           refused                refused
      sibling host  a click, signed in  kept              kept                   a click, user_changed
      none          signed in           kept              kept                   user_changed
      no header     a click, signed in  a click, renewed  a click, user_changed  a click, user_changed
      `,
    ],
  ] as const)('with SameSite %s', (sameSite, table) => expectTable(tested, sameSite, table));
});

describe.each(Object.entries(STARTING))('a login by %s', (_name, tested) => {
  test.each([
    [
      'lax',
      `
      start         nobody     the same user  another user  a local account
      own page      signed in  renewed        user_changed  user_changed
      link          signed in  renewed        user_changed  user_changed
      form          refused    refused        refused       refused
      sibling host  signed in  renewed        user_changed  user_changed
      none          signed in  renewed        user_changed  user_changed
      no header     signed in  renewed        user_changed  user_changed
      `,
    ],
    [
      'strict',
      `
      start         nobody              the same user     another user           a local account
      own page      signed in           renewed           user_changed           user_changed
      link          a click, signed in  a click, renewed  a click, user_changed  a click, user_changed
      form          refused             refused           refused                refused
      sibling host  a click, signed in  a click, renewed  a click, user_changed  a click, user_changed
      none          signed in           renewed           user_changed           user_changed
      no header     a click, signed in  a click, renewed  a click, user_changed  a click, user_changed
      `,
    ],
  ] as const)('with SameSite %s', (sameSite, table) => expectTable(tested, sameSite, table));
});

describe.each([...PASSPORT_PATHS, 'ClinicianStrategy'] as const)('passport.authorize() of %s', (path) => {
  const linking: AuthenticateOptions = { assignProperty: 'account' };
  const linkSite = (settings: Settings) => {
    const options = { onEvent, ...settings };
    return withLocalAccount(
      path === 'ClinicianStrategy' ? strategySite(provider, options) : siteOf(provider, path, options),
    );
  };

  test.each(['lax', 'strict'] as const)('links only from a page of the site: SameSite %s', async (sameSite) => {
    for (const start of Object.keys(STARTS) as Start[]) {
      const browser = new Browser(
        linkSite({ session: { cookie: { sameSite } }, start: linking, finish: linking }).app,
        sameSite,
      );
      await browser.send('/local?id=ada', STARTS['own page'], 'post');
      const requests = provider.requests.length;
      const started = await browser.send('/start', STARTS[start], start === 'form' ? 'post' : 'get');
      if (start === 'own page') {
        const end = await browser.finish(started.headers.location as string, 'verified');
        expect([end.status, JSON.parse(end.headers['x-account'] as string)]).toMatchObject([
          302,
          { id: expect.any(String) },
        ]);
      } else {
        expectRefused(started, 'cross_site_request');
        expect(provider.requests).toHaveLength(requests);
      }
      expect(((await browser.user()) as unknown[])[1]).toEqual({ id: 'ada' });
    }
  });

  test.each(['eve', undefined])(
    'does not link to another account than the one that it was started for: %s',
    async (now) => {
      const browser = new Browser(linkSite({ start: linking, finish: linking }).app);
      await browser.send('/local?id=ada', STARTS['own page'], 'post');
      const { headers } = await browser.send('/start');
      if (now === undefined) await browser.send('/passport-logout', STARTS['own page'], 'post');
      else await browser.send(`/local?id=${now}`, STARTS['own page'], 'post');
      const end = await browser.finish(headers.location as string, 'verified');
      expectRefused(end);
      expect(end.headers['x-account']).toBeUndefined();
    },
  );

  test('does not link in a login that was started without an account', async () => {
    const browser = new Browser(linkSite({ finish: linking }).app);
    const { headers } = await browser.send('/start', STARTS.link);
    await browser.send('/local?id=ada', STARTS['own page'], 'post');
    expectRefused(await browser.finish(headers.location as string, 'verified'));
    expect((await browser.signIn('/start', 'verified')).headers['x-account']).toBeUndefined();
  });
});

describe.each(LOGIN_PATHS)('another user at the service, on a site that signs in by: %s', (path) => {
  async function signedIn(settings: Settings = {}) {
    const site = siteOf(provider, path, { onEvent, ...settings });
    const browser = new Browser(site.app);
    await browser.signIn('/auth/login?returnTo=/me', 'verified');
    return { ...site, browser };
  }
  const isPassports = path.startsWith('Passport');

  test('is an error with its own code; the page of the drop-in leads to the sign-out', async () => {
    const { browser } = await signedIn();
    const end = await browser.signIn('/auth/login?prompt=login', 'connected');
    expectRefused(end);
    if (!isPassports) expect(end.text).toMatch(/To sign in as another user, sign out first.*href="\/auth\/logout"/s);
    await browser.send('/auth/logout', sameOriginForm, 'post');
    await browser.signIn('/auth/login', 'connected');
    expect((await browser.send('/me')).body.identity.id).toBe(provider.clinicians.get('connected').sub);
  });

  test('is signed in after the login before has ended', async () => {
    const { browser } = await signedIn();
    await browser.send('/revoke', STARTS['own page'], 'post');
    expect((await browser.signIn('/auth/login', 'connected')).status).toBe(302);
  });

  test('is not passed to onSignIn, and receives no data of the session', async () => {
    const received: object[] = [];
    const { browser, app } = await signedIn({
      onSignIn: ({ identity, previousSession, carryOver }) => {
        received.push(previousSession);
        carryOver(previousSession);
        return { id: identity.id };
      },
    });
    app.all('/draft', (req: Request, res) => void res.json(Object.assign(req.session, req.query)));
    await browser.send('/draft?draft=private');
    await browser.signIn('/auth/login', 'connected');
    await browser.signIn('/auth/login', 'verified');
    expect(received).toEqual([{}, { draft: 'private' }]);
    expect((await browser.send('/draft')).body).toMatchObject({ draft: 'private' });
  });

  test.each([
    ['the same id at the site', () => ({ id: 'shared' }), 'connected'],
    ['the same identity, and another id at the site', (ids: number[]) => ({ id: ids.push(0) }), 'verified'],
  ] as const)('is another one with %s', async (_name, onSignIn, as) => {
    const ids: number[] = [];
    const { browser } = await signedIn({ onSignIn: () => onSignIn(ids) });
    expectRefused(await browser.signIn('/auth/login', as));
  });

  test('is led to the service by a guard that asks for more, also after a link of another site', async () => {
    const { app, browser, clinician } = await signedIn({ clock: provider.clock });
    app.get('/delete', clinician.requireRecentLogin({ maxAge: 0 }), (_req, res) => void res.send('deleted'));
    provider.clock.advance('10 minutes');
    const { headers } = await browser.send('/delete', STARTS.link);
    const request = new URL((await browser.send(headers.location as string, STARTS.link)).headers.location as string);
    // A page of another site does not learn the user.
    expect([request.origin, request.searchParams.has('id_token_hint')]).toEqual([provider.issuer, false]);
  });

  test('replaces no user who signs in while the login is in progress', async () => {
    const { browser } = await signedIn();
    const { headers } = await browser.send('/auth/login');
    await browser.send('/auth/logout', sameOriginForm, 'post');
    await browser.signIn('/auth/login', 'pending');
    expectRefused(await browser.finish(headers.location as string, 'verified'));
    expect((await browser.send('/me')).body.identity.id).toBe(provider.clinicians.get('pending').sub);
  });
});

describe.each(['drop-in, Passport session', ...PASSPORT_PATHS] as const)(
  'a local account, on a site that signs in by: %s',
  (path) => {
    async function signedIn(user: object, settings: Settings = {}) {
      const { app } = siteOf(provider, path, { onEvent, ...settings });
      app.post('/sign-in', (req, res, next) =>
        req.logIn(user as Express.User, (error) => (error ? next(error) : res.send('done'))),
      );
      const browser = new Browser(app);
      await browser.send('/sign-in', STARTS['own page'], 'post');
      return browser;
    }

    test.each<[string, object, (user: Express.User) => unknown]>([
      ['_id', { _id: 'local-7' }, ({ _id }: { _id?: string }) => _id],
      ['an id that is null', { id: null, username: 'local-7' }, (user) => user],
    ])('that is known by %s is not replaced', async (_name, user, serialized) => {
      const browser = await signedIn(user, { serialized });
      const before = await browser.user();
      expectRefused(await browser.signIn('/auth/login', 'verified'));
      expect(await browser.user()).toEqual(before);
    });

    test('is not replaced by a user that passport.serializeUser cannot store', async () => {
      const serialized = (user: { id?: string }) => {
        if (user.id !== 'ada') throw new Error('unknown type of user');
        return user;
      };
      const browser = await signedIn({ id: 'ada' }, { serialized });
      expectRefused(await browser.signIn('/auth/login', 'verified'));
    });

    test.each([
      ['id', { id: 'ada' }, (user: Express.User) => user],
      ['another member', { _id: 'ada' }, ({ _id }: { _id?: string }) => _id],
    ])('becomes a clinician where onSignIn returns the same user, known by %s', async (_name, user, serialized) => {
      const browser = await signedIn(user, { serialized, onSignIn: () => user });
      expect((await browser.signIn('/auth/login', 'verified')).status).toBe(302);
      expect((await browser.send('/me')).body.identity.id).toBe(provider.clinicians.get('verified').sub);
    });

    test('passes no data of its session to onSignIn before the site has compared the users', async () => {
      const received: object[] = [];
      const browser = await signedIn(
        { id: 'ada' },
        {
          onSignIn: ({ previousSession }) => {
            received.push(previousSession);
            return { id: 'ada' };
          },
        },
      );
      await browser.signIn('/auth/login', 'verified');
      expect(received).toEqual([{}]);
    });

    test('remains where a login has session: false, which replaces no user', async () => {
      if (path === 'drop-in, Passport session') return;
      const browser = await signedIn({ id: 'ada' }, { finish: { session: false } });
      const end = await browser.signIn('/start', 'verified');
      expect(JSON.parse(end.headers['x-info'] as string)).toMatchObject({ grantID: expect.any(String) });
      expect(await browser.user()).toEqual([false, { id: 'ada' }]);
    });
  },
);

test('a browser without Sec-Fetch-Site is known by its Referer', async () => {
  const { app } = siteFor(provider);
  for (const [Referer, location] of [
    ['https://evil.example/page', '/'],
    ['http://127.0.0.1:30001/', '/'],
    ['http://127.0.0.1:3000.evil.example/', '/'],
    ['http://127.0.0.1:3000/page', provider.issuer],
  ] as const) {
    const browser = new Browser(app);
    await browser.signIn('/auth/login', 'verified');
    expect((await browser.send('/auth/login', { Referer })).headers.location).toMatch(location);
  }
});

test.each([...LOGIN_PATHS, 'strategy'] as const)(
  'a browser that counts redirects omits a Strict session, and sends none: %s',
  async (path) => {
    // express-session accepts any case.
    for (const sameSite of ['strict', 'Strict'] as const) {
      const session = { cookie: { sameSite: sameSite as 'strict' } };
      const { app } = siteAt(provider, path, { session, onEvent });
      const browser = new Browser(app, 'strict');
      await browser.signIn('/auth/login', 'verified');
      const before = await browser.user();
      const { headers } = await browser.send('/auth/login');
      const start = { ...STARTS.none, Omits: 'session' };
      expectRefused(await browser.finish(headers.location as string, 'connected', [], start));
      expect(await browser.user()).toEqual(before);
    }
  },
);

test.each(PASSPORT_PATHS)('a popup of a route of Passport ends on a page of the site: %s', async (path) => {
  const browser = new Browser(siteOf(provider, path, { start: { display: 'popup' } }).app);
  await browser.signIn('/start', 'verified');
  const { status, headers } = await browser.send('/start', STARTS.link);
  expect([status, headers.location]).toEqual([302, '/me']);
});
