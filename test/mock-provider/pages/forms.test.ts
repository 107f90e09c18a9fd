import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, callback, formOf, heading, linkTo, Visitor, words } from './visitor.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const ask = async (visitor: Visitor, more: Record<string, string> = {}) => visitor.get(authorizePath(provider, more));

describe('forms that do not count (decision 39)', () => {
  const refused = { status: 403 };

  test.each(['login', 'consent', 'registration', 'verification'])('POST /oauth/%s with nothing', async (page) => {
    const answer = await new Visitor(provider).post(`/oauth/${page}`, {});
    expect(answer).toMatchObject(refused);
    expect(heading(answer)).toBe('This page is no longer in use');
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(provider.problems.at(-1)).toMatchObject({ rule: 'form-token-single-use' });
  });

  test('one from another browser, be its tokens right', async () => {
    const { action, hidden } = formOf(await ask(new Visitor(provider)));
    const other = new Visitor(provider);
    await ask(other);
    const answer = await other.post(action, { ...hidden, username: 'verified', password: 'clinician' });
    expect(answer).toMatchObject(refused);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('one that was sent before; the sign-in goes on where it stands', async () => {
    const visitor = new Visitor(provider);
    const login = await ask(visitor);
    await visitor.signIn(login, 'verified');
    const { action, hidden } = formOf(login);
    const answer = await visitor.post(action, { ...hidden, username: 'verified', password: 'clinician' });
    expect(answer).toMatchObject(refused);
    expect(heading(answer)).toBe('This form was already submitted');
    expect(heading(await visitor.get(linkTo(answer, 'Continue')))).toBe('Your application asks for your approval');
  });

  test('a consent that was sent before gives no second code', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.signIn(await ask(visitor), 'verified');
    expect(callback(await visitor.submit(consent, { decision: 'approve' })).has('code')).toBe(true);
    const answer = await visitor.submit(consent, { decision: 'approve' });
    expect(answer).toMatchObject(refused);
    expect(answer.location).toBe('');
  });

  test('one with a token that was changed by one letter', async () => {
    const visitor = new Visitor(provider);
    const { action, hidden } = formOf(await ask(visitor));
    const token = hidden.form_token ?? '';
    const changed = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    const fields = { ...hidden, form_token: changed, username: 'verified', password: 'clinician' };
    expect(await visitor.post(action, fields)).toMatchObject(refused);
  });

  test('one that is not a form', async () => {
    const visitor = new Visitor(provider);
    const { hidden } = formOf(await ask(visitor));
    const answer = await fetch(`${provider.issuer}/oauth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...hidden, username: 'verified', password: 'clinician' }),
    });
    expect(answer.status).toBe(403);
  });

  test('JSON for whoever prefers it', async () => {
    const answer = await new Visitor(provider).get('/oauth/resume?interaction=unknown', { accept: 'application/json' });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'invalid_request' });
  });
});

describe('in the middle of it', () => {
  test('two tabs with two logins: each ends with what its own page said', async () => {
    const visitor = new Visitor(provider);
    const first = await ask(visitor, { state: 'first' });
    const second = await ask(visitor, { state: 'second' });
    const secondConsent = await visitor.signIn(second, 'connected');
    const firstConsent = await visitor.signIn(first, 'verified');
    expect(callback(await visitor.submit(firstConsent, { decision: 'approve' })).get('state')).toBe('first');
    const again = await visitor.submit(secondConsent, { decision: 'approve' });
    expect(words(again)).toContain('Signed in as Vera Castellanos, MD');
    expect(callback(await visitor.submit(again, { decision: 'approve' })).get('state')).toBe('second');
  });

  test('going back to the first address after signing in leads to the consent', async () => {
    const visitor = new Visitor(provider);
    await visitor.signIn(await ask(visitor), 'verified');
    expect(heading(await ask(visitor))).toBe('Your application asks for your approval');
  });

  test('after an hour the page says what to do', async () => {
    const visitor = new Visitor(provider);
    const login = await ask(visitor);
    provider.clock.advance('61 minutes');
    const answer = await visitor.signIn(login, 'verified');
    expect(answer.status).toBe(403);
    expect(words(answer)).toMatch(/took too long.*Go back to the application and start again/);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('a finished sign-in cannot be resumed', async () => {
    const visitor = new Visitor(provider);
    const { hidden } = formOf(await ask(visitor));
    const consent = await visitor.get(`/oauth/resume?interaction=${hidden.interaction}`);
    await visitor.submit(await visitor.signIn(consent, 'verified'), { decision: 'approve' });
    const answer = await visitor.get(`/oauth/resume?interaction=${hidden.interaction}`);
    expect(answer).toMatchObject({ status: 400, location: '' });
    expect(heading(answer)).toBe('This page is no longer in use');
  });

  test.each(['resume', 'login', 'registration'])('/oauth/%s of another browser is not shown', async (page) => {
    const { hidden } = formOf(await ask(new Visitor(provider)));
    const other = new Visitor(provider);
    await ask(other);
    const answer = await other.get(`/oauth/${page}?interaction=${hidden.interaction}`);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('<form');
  });
});
