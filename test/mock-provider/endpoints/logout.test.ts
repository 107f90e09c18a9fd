import { beforeEach, describe, expect, test } from '@jest/globals';
import { type RegisteredClient, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { formOf, heading, type PageResponse, textOf, Visitor } from '../visitor.js';
import {
  authorizeURL,
  encode,
  type Fields,
  jwtPart,
  POST_LOGOUT_URI,
  profile,
  REDIRECT_URI,
  registerStrict,
  tokensOf,
} from '../wire.js';

let client: RegisteredClient;
let hint: string;
beforeEach(async () => {
  client = registerStrict(provider, 'openid', {
    postLogoutRedirectURIs: [POST_LOGOUT_URI, `${POST_LOGOUT_URI}?from=a`],
  });
  hint = (await tokensOf(provider, client)).id_token;
});

const path = (fields: Fields = {}): string =>
  `/oauth/logout?${encode({ id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI, ...fields })}`;
const silent = (): string => authorizeURL(provider, client, { prompt: 'none' }).slice(provider.issuer.length);

/** Signs in on the provider's pages and approves. @returns the last response */
async function enter(visitor: Visitor, username = 'verified'): Promise<PageResponse> {
  const url = authorizeURL(provider, client, { prompt: 'login' });
  const page = await visitor.signIn(await visitor.get(url.slice(provider.issuer.length)), username);
  return page.location === '' ? visitor.submit(page, { decision: 'approve' }) : page;
}

async function signedIn(username?: string): Promise<Visitor> {
  const visitor = new Visitor(provider);
  await enter(visitor, username);
  return visitor;
}

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  const { searchParams } = new URL((await visitor.get(silent())).location);
  return searchParams.has('code');
}

function browserState(visitor: Visitor): string | undefined {
  return [...visitor.cookies].find(([name]) => name.includes('browser_state'))?.[1].value;
}

async function expectRefusal(visitor: Visitor, page: PageResponse): Promise<void> {
  expect([page.status, page.location]).toEqual([400, '']);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(await isSignedIn(visitor)).toBe(true);
}

describe('a logout request', () => {
  test.each(['GET', 'POST'])('by %s ends the session and redirects back', async (method) => {
    const visitor = await signedIn();
    const fields = { id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI, state: 'my state' };
    const page = method === 'GET' ? await visitor.get(path(fields)) : await visitor.post('/oauth/logout', fields);
    expect([page.status, page.location]).toEqual([302, `${POST_LOGOUT_URI}?state=my%20state`]);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  test('with a parameter twice, also in query and body, is refused', async () => {
    const visitor = await signedIn();
    await expectRefusal(visitor, await visitor.get(path({ state: ['a', 'b'] })));
    const fields = { id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI };
    await expectRefusal(visitor, await visitor.post('/oauth/logout?state=a', { ...fields, state: 'a' }));
  });
});

test('an id_token_hint of another issuer or a malformed one is refused', async () => {
  const visitor = await signedIn();
  const [header, claims, signature = ''] = hint.split('.');
  const noneHeader = Buffer.from('{"alg":"none"}').toString('base64url');
  const changed = Buffer.from(JSON.stringify({ ...jwtPart(hint, 'claims'), azp: 'other' })).toString('base64url');
  const broken = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  const foreign = await startMockProvider();
  const foreignHint = (await tokensOf(foreign, foreign.clients.openid)).id_token;
  await foreign.stop();
  for (const wrong of [
    ...['bogus', 'a.b.c', `${noneHeader}.${claims}.`, `${noneHeader}.${claims}.x`],
    ...[`${header}.${changed}.${signature}`, `${header}.${claims}.${broken}`, foreignHint],
  ]) {
    await expectRefusal(visitor, await visitor.get(path({ id_token_hint: wrong })));
  }
});

describe('id_token_hint', () => {
  test('may be expired and signed with a retired key', async () => {
    const visitor = await signedIn();
    provider.clock.advance('5 hours');
    provider.keys.rotate();
    provider.keys.rotate();
    expect((await visitor.get(path())).location).toBe(POST_LOGOUT_URI);
  });

  test('must be of the client_id that is sent', async () => {
    const visitor = await signedIn();
    await expectRefusal(visitor, await visitor.get(path({ client_id: 'default-openid' })));
    expect((await visitor.get(path({ client_id: client.clientID }))).location).toBe(POST_LOGOUT_URI);
  });
});

test('a post_logout_redirect_uri that does not equal a registered one of this client is refused', async () => {
  const visitor = await signedIn();
  const other = registerStrict(provider, 'openid', { postLogoutRedirectURIs: ['http://127.0.0.1:5001/other'] });
  for (const uri of [
    ...[`${POST_LOGOUT_URI}/`, `${POST_LOGOUT_URI}?foo=bar`, `${POST_LOGOUT_URI}#x`, REDIRECT_URI],
    ...['https://evil.example/', 'javascript:alert(1)', ...other.postLogoutRedirectURIs],
  ]) {
    await expectRefusal(visitor, await visitor.get(path({ post_logout_redirect_uri: uri })));
  }
});

test('without a session the logout redirects too, with state after ? or &', async () => {
  const visitor = new Visitor(provider);
  for (const [uri, location] of [
    [POST_LOGOUT_URI, `${POST_LOGOUT_URI}?state=s`],
    [`${POST_LOGOUT_URI}?from=a`, `${POST_LOGOUT_URI}?from=a&state=s`],
  ]) {
    const page = await visitor.get(path({ post_logout_redirect_uri: uri, state: 's' }));
    expect([page.status, page.location]).toEqual([302, location]);
  }
});

test('a logout ends the session and changes the browser state before the redirect, and revokes no token', async () => {
  const { access_token } = await tokensOf(provider, provider.clients.profile);
  const visitor = new Visitor(provider);
  const back = await enter(visitor);
  const sessionState = new URL(back.location).searchParams.get('session_state') ?? '';
  const check = { clientID: client.clientID, sessionState, origin: new URL(REDIRECT_URI).origin };
  expect(provider.checkSession(check)).toBe('unchanged');
  const old = new Map(visitor.cookies);
  await visitor.get(path());
  expect(provider.checkSession(check)).toBe('changed');
  for (const [name, value] of old) visitor.cookies.set(name, value);
  expect(await isSignedIn(visitor)).toBe(false);
  expect((await profile(provider, access_token)).status).toBe(200);
});

test.each([
  ['id_token_hint', { id_token_hint: undefined }],
  ['id_token_hint', { id_token_hint: undefined, post_logout_redirect_uri: undefined }],
  ['post_logout_redirect_uri', { post_logout_redirect_uri: undefined }],
])(
  'without %s the sign-out page is shown, and the session continues until its form is sent',
  async (missing, fields) => {
    const visitor = await signedIn();
    const page = await visitor.get(path(fields));
    await expectRefusal(visitor, page);
    expect(heading(page)).toBe('Sign out?');
    expect(textOf(page)).toMatch(new RegExp(`${missing} is missing\\..*Signed in as Vera Castellanos, MD`));
    expect(provider.problems.some(({ rule }) => rule === 'logout-parameters-required')).toBe(true);
    const state = browserState(visitor);
    const done = await visitor.submit(page, {});
    expect([done.status, heading(done)]).toEqual([200, 'You are signed out']);
    expect(await isSignedIn(visitor)).toBe(false);
    expect(browserState(visitor)).toMatch(/^[\w-]{32,}$/);
    expect(browserState(visitor)).not.toBe(state);
  },
);

test('a hint of another user shows the sign-out page, then redirects to the application with its state', async () => {
  const visitor = await signedIn('connected');
  const page = await visitor.get(path({ state: 'a b&c' }));
  expect([heading(page), page.location]).toEqual(['Sign out?', '']);
  expect(await isSignedIn(visitor)).toBe(true);
  const { action, hidden } = formOf(page);
  const done = await visitor.post(action, hidden);
  expect(done).toMatchObject({ status: 303, location: `${POST_LOGOUT_URI}?state=a%20b%26c` });
  expect(await isSignedIn(visitor)).toBe(false);
});

test('the sign-out form is accepted once, only from this browser, and only with a form token of its page', async () => {
  const [visitor, other] = [new Visitor(provider), new Visitor(provider)];
  const { hidden: ofSignIn } = formOf(await visitor.get('/oauth/sign-in'));
  await enter(visitor);
  const { action, hidden } = formOf(await visitor.get('/oauth/sign-out'));
  await other.get('/oauth/sign-out');
  expect(await other.post(action, hidden)).toMatchObject({ status: 403 });
  for (const fields of [{}, ofSignIn]) expect(await visitor.post(action, fields)).toMatchObject({ status: 403 });
  expect(await isSignedIn(visitor)).toBe(true);
  expect(await visitor.post(action, hidden)).toMatchObject({ status: 200 });
  expect(await visitor.post(action, hidden)).toMatchObject({ status: 403 });
});

test('without a session the sign-out page shows that no user is signed in, and offers no sign-out', async () => {
  const visitor = new Visitor(provider);
  for (const page of [await visitor.get('/oauth/logout'), await visitor.get('/oauth/sign-out')]) {
    expect(heading(page)).toBe('You are not signed in');
    expect(textOf(page)).toContain('No user is signed in with this browser.');
    expect(page.text).not.toMatch(/<form|<button|sign out here/);
  }
});
