import { expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { authorizePath, callback, formOf, heading, textOf, Visitor } from '../visitor.js';
import { idTokenOf } from './id-token.js';

const BYE = 'http://127.0.0.1:5001/bye';

const logout = (visitor: Visitor, parameters: Record<string, string>) =>
  visitor.get(`/oauth/logout?${new URLSearchParams(parameters)}`);
const isSignedIn = async (visitor: Visitor) =>
  !callback(await visitor.get(authorizePath(provider, { prompt: 'none' }))).has('error');

test.each([
  ['id_token_hint', { post_logout_redirect_uri: BYE }],
  ['id_token_hint', {}],
])('logout without %s shows the sign-out page, and the session continues', async (missing, parameters) => {
  const visitor = new Visitor(provider);
  await idTokenOf(provider, visitor, 'verified');
  const page = await logout(visitor, parameters as Record<string, string>);
  expect(page).toMatchObject({ status: 400, location: '' });
  expect(heading(page)).toBe('Sign out?');
  expect(textOf(page)).toContain(`${missing} is missing.`);
  expect(textOf(page)).toContain('Signed in as Vera Castellanos, MD');
  expect(await isSignedIn(visitor)).toBe(true);
  expect(provider.problems.at(-1)).toMatchObject({ rule: 'logout-parameters-required' });

  const state = browserState(visitor);
  const done = await visitor.submit(page, {});
  expect(done).toMatchObject({ status: 200, location: '' });
  expect(heading(done)).toBe('You are signed out');
  expect(await isSignedIn(visitor)).toBe(false);
  expect(browserState(visitor)).toMatch(/^[\w-]{32,}$/);
  expect(browserState(visitor)).not.toBe(state);
});

function browserState(visitor: Visitor): string | undefined {
  return [...visitor.cookies].find(([name]) => name.includes('browser_state'))?.[1].value;
}

test('logout without post_logout_redirect_uri shows the sign-out page', async () => {
  const visitor = new Visitor(provider);
  const page = await logout(visitor, { id_token_hint: await idTokenOf(provider, visitor, 'verified') });
  expect(textOf(page)).toContain('post_logout_redirect_uri is missing.');
  expect(await isSignedIn(visitor)).toBe(true);
});

test('a hint of another user shows the sign-out page, then redirects to the application with its state', async () => {
  const other = await idTokenOf(provider, new Visitor(provider), 'connected');
  const visitor = new Visitor(provider);
  await idTokenOf(provider, visitor, 'verified');
  const page = await logout(visitor, { id_token_hint: other, post_logout_redirect_uri: BYE, state: 'a b&c' });
  expect(heading(page)).toBe('Sign out?');
  expect(page.location).toBe('');
  expect(await isSignedIn(visitor)).toBe(true);
  const { action, hidden } = formOf(page);
  const done = await visitor.post(action, hidden);
  expect(done).toMatchObject({ status: 303, location: `${BYE}?state=a%20b%26c` });
  expect(await isSignedIn(visitor)).toBe(false);
});

test('the sign-out form is accepted once, and only from this browser', async () => {
  const visitor = new Visitor(provider);
  await idTokenOf(provider, visitor, 'verified');
  const { action, hidden } = formOf(await visitor.get('/oauth/sign-out'));
  const otherVisitor = new Visitor(provider);
  await otherVisitor.get('/oauth/sign-out');
  expect(await otherVisitor.post(action, hidden)).toMatchObject({ status: 403 });
  expect(await visitor.post(action, {})).toMatchObject({ status: 403 });
  expect(await isSignedIn(visitor)).toBe(true);
  expect(await visitor.post(action, hidden)).toMatchObject({ status: 200 });
  expect(await visitor.post(action, hidden)).toMatchObject({ status: 403 });
});

test('a form token of one page is refused on another', async () => {
  const visitor = new Visitor(provider);
  const { hidden } = formOf(await visitor.get('/oauth/sign-in'));
  await idTokenOf(provider, visitor, 'verified');
  expect(await visitor.post('/oauth/sign-out', hidden)).toMatchObject({ status: 403 });
  expect(await isSignedIn(visitor)).toBe(true);
});

test('without a session the sign-out page shows that no user is signed in, and offers no sign-out', async () => {
  const visitor = new Visitor(provider);
  for (const page of [await logout(visitor, {}), await visitor.get('/oauth/sign-out')]) {
    expect(heading(page)).toBe('You are not signed in');
    expect(textOf(page)).toContain('No user is signed in with this browser.');
    expect(page.text).not.toMatch(/<form|<button|sign out here/);
  }
});
