import { describe, expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { authorizePath, callback, formOf, heading, linkTo, profileFlowPath, textOf, Visitor } from '../visitor.js';
import { tokensOf } from '../wire.js';

const openAuthorization = async (visitor: Visitor, more: Record<string, string> = {}) =>
  visitor.get(authorizePath(provider, more));

describe('the login page', () => {
  test('redirects with 303 to the consent page, which redirects with 303 to the application', async () => {
    const visitor = new Visitor(provider);
    const login = await openAuthorization(visitor);
    const { action, hidden } = formOf(login);
    const posted = await visitor.post(action, { ...hidden, username: 'verified', password: 'clinician' });
    expect(posted.status).toBe(303);
    expect(posted.location).toMatch(/^\/oauth\/resume\?interaction=/);
    const consent = await visitor.get(posted.location);
    expect(await visitor.get(posted.location)).toMatchObject({ status: 200 }); // loaded again: nothing is sent twice
    const approval = formOf(consent);
    const done = await visitor.post(approval.action, { ...approval.hidden, decision: 'approve', approve_email: 'yes' });
    expect(done.status).toBe(303);
    expect(Object.fromEntries(callback(done))).toMatchObject({ code: expect.any(String), state: 'a state' });
  });

  test('is shown again with 400, a linked message and the username after a wrong password', async () => {
    const visitor = new Visitor(provider);
    const again = await visitor.submit(await openAuthorization(visitor), { username: 'verified', password: 'wrong' });
    expect(again.status).toBe(400);
    expect(heading(again)).toBe('Sign in');
    expect(again.text).toContain('<title>Error: Sign in');
    expect(again.text).toContain(
      '<p class="alert" id="login-problem" role="alert">The user name or the password is incorrect.</p>',
    );
    expect(again.text).toMatch(
      /<input type="text" id="username"[^>]*aria-describedby="login-problem"[^>]*value="verified">/,
    );
    expect(again.text).toMatch(/<input type="password" id="password"[^>]*aria-invalid="true"[^>]*autofocus/);
    expect(again.headers.get('www-authenticate')).toBeNull();
    expect(heading(await visitor.signIn(again, 'verified'))).toBe('My site asks for your approval');
  });

  test.each([
    ['page', 'class="page"'],
    ['popup', 'class="popup"'],
  ])('with display=%s has the class of that display', async (display, body) => {
    const visitor = new Visitor(provider);
    const login = await openAuthorization(visitor, { display });
    expect(login.text).toContain(body);
    expect((await visitor.signIn(login, 'verified')).text).toContain(body);
  });

  test('with type=verify has its own text and the same form in the profile flow', async () => {
    const visitor = new Visitor(provider);
    const landing = await visitor.get(profileFlowPath(provider, { type: 'verify' }));
    expect(heading(landing)).toBe('Verify that you are a clinician');
    expect(textOf(landing)).toMatch(/Sign in or create an account\. We check your NPI/);
    expect(heading(await visitor.signIn(landing, 'verified'))).toBe('My site asks for your approval');
    const other = await new Visitor(provider).get(profileFlowPath(provider, { type: 'other' }));
    expect(heading(other)).toBe('Sign in');
  });

  test('is filled in with the user of id_token_hint, and another user may sign in', async () => {
    const { id_token: id_token_hint } = await tokensOf(provider, provider.clients.openid, { as: 'connected' });
    const visitor = new Visitor(provider);
    const login = await openAuthorization(visitor, { id_token_hint, login_hint: 'pending' });
    expect(heading(login)).toBe('Sign in');
    expect(login.text).toMatch(/id="username"[^>]*value="connected">/);
    const consent = await visitor.signIn(login, 'verified');
    expect(textOf(consent)).toContain('Signed in as Vera Castellanos, MD');
    expect(callback(await visitor.submit(consent, { decision: 'approve' })).has('code')).toBe(true);
  });

  test('for another account changes no session before a password is submitted', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.signIn(await openAuthorization(visitor), 'verified');
    expect(textOf(consent)).toContain('Signed in as Vera Castellanos, MD');
    const other = await visitor.get(linkTo(consent, 'Not you\\? Use another account'));
    expect(heading(other)).toBe('Sign in');
    expect(textOf(await openAuthorization(visitor))).toContain('Vera Castellanos, MD');
    const old = new Map(visitor.cookies);
    expect(textOf(await visitor.signIn(other, 'connected'))).toContain('Signed in as Carla Osei, MD, PhD');
    // The session of the account before has ended.
    for (const [name, cookie] of old) visitor.cookies.set(name, cookie);
    expect(heading(await openAuthorization(visitor))).toBe('Sign in');
  });
});

describe('the consent page', () => {
  test('ends the sign-in after a denial', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.signIn(await openAuthorization(visitor), 'verified');
    await visitor.submit(consent, { decision: 'deny' });
    const { interaction = '' } = formOf(consent).hidden;
    const page = await visitor.get(`/oauth/resume?${new URLSearchParams({ interaction })}`);
    expect([page.status, page.location]).toEqual([400, '']);
    expect(provider.problems.at(-1)?.rule).toBe('interaction-in-one-browser');
  });

  test('refuses an approval when another user signed in since in another tab', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.signIn(await openAuthorization(visitor), 'verified');
    const otherTab = await openAuthorization(visitor, { prompt: 'login' });
    await visitor.signIn(otherTab, 'pending');
    const again = await visitor.submit(consent, { decision: 'approve', approve_email: 'yes' });
    expect(again.status).toBe(400);
    expect(textOf(again)).toMatch(
      /Another user is signed in with this browser\. Nothing was approved.* Signed in as Peter Nakamura, DO/,
    );
    const done = await visitor.submit(again, { decision: 'approve', approve_email: 'yes' });
    expect(callback(done).get('code')).toEqual(expect.any(String));
  });

  test('requires a login when the user was signed out in the meantime', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.signIn(await openAuthorization(visitor), 'verified');
    await visitor.submit(await visitor.get('/oauth/sign-out'), {});
    expect(heading(await visitor.submit(consent, { decision: 'approve' }))).toBe('Sign in');
  });
});
