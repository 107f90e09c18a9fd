import { describe, expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { authorizePath, callback, formOf, heading, linkTo, type PageResponse, textOf, Visitor } from '../visitor.js';

const openAuthorization = async (visitor: Visitor, more: Record<string, string> = {}) =>
  visitor.get(authorizePath(provider, more));

const interactionsOf = ({ cookies }: Visitor) => [...cookies.keys()].filter((name) => name.includes('_interaction.'));

describe('a form is refused', () => {
  const refused = { status: 403 };

  test.each(['login', 'consent', 'registration', 'verification'])('at /oauth/%s without fields', async (page) => {
    const response = await new Visitor(provider).post(`/oauth/${page}`, {});
    expect(response).toMatchObject(refused);
    expect(heading(response)).toBe('This page is no longer in use');
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(provider.problems.at(-1)).toMatchObject({ rule: 'form-token-single-use' });
  });

  test('from another browser, also with valid tokens', async () => {
    const { action, hidden } = formOf(await openAuthorization(new Visitor(provider)));
    const other = new Visitor(provider);
    await openAuthorization(other);
    const own = [...other.cookies][0]?.[1] as { value: string; path: string };
    other.cookies.set(`clinician_mock_${new URL(provider.issuer).port}_interaction.${hidden.interaction}`, own);
    const response = await other.post(action, { ...hidden, username: 'verified', password: 'clinician' });
    expect(response).toMatchObject(refused);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  test.each(['/oauth/login', '/oauth/sign-out'])(
    'at %s from a browser that blocks cookies, whose user reads that it must allow them',
    async (path) => {
      const visitor = new Visitor(provider);
      const { hidden } = formOf(await openAuthorization(visitor));
      visitor.cookies.clear();
      const response = await visitor.post(path, { ...hidden, username: 'verified', password: 'clinician' });
      expect(response).toMatchObject(refused);
      expect(textOf(response)).toContain('The browser sent no cookie');
      expect(textOf(response)).toContain('Allow cookies for this address');
      expect(response.text).not.toContain('Continue');
      expect(provider.problems.at(-1)?.reason).toContain('The browser sent no cookie: it blocks cookies');
    },
  );

  test('when it was already submitted, and the sign-in continues', async () => {
    const visitor = new Visitor(provider);
    const login = await openAuthorization(visitor);
    await visitor.signIn(login, 'verified');
    const { action, hidden } = formOf(login);
    const response = await visitor.post(action, { ...hidden, username: 'verified', password: 'clinician' });
    expect(response).toMatchObject(refused);
    expect(heading(response)).toBe('This form was already submitted');
    expect(heading(await visitor.get(linkTo(response, 'Continue')))).toBe('My site asks for your approval');
  });

  test('for a second consent, which issues no second code', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.signIn(await openAuthorization(visitor), 'verified');
    expect(callback(await visitor.submit(consent, { decision: 'approve' })).has('code')).toBe(true);
    const response = await visitor.submit(consent, { decision: 'approve' });
    expect(response).toMatchObject(refused);
    expect(response.location).toBe('');
  });
});

describe('a sign-in in progress', () => {
  test('in two tabs ends in each with its own result', async () => {
    const visitor = new Visitor(provider);
    const first = await openAuthorization(visitor, { state: 'first' });
    const second = await openAuthorization(visitor, { state: 'second' });
    const secondConsent = await visitor.signIn(second, 'connected');
    const firstConsent = await visitor.signIn(first, 'verified');
    expect(callback(await visitor.submit(firstConsent, { decision: 'approve' })).get('state')).toBe('first');
    const again = await visitor.submit(secondConsent, { decision: 'approve' });
    expect(textOf(again)).toContain('Signed in as Vera Castellanos, MD');
    expect(callback(await visitor.submit(again, { decision: 'approve' })).get('state')).toBe('second');
  });

  test('has one of at most 20 cookies, of which the oldest are deleted', async () => {
    const visitor = new Visitor(provider);
    const tabs: PageResponse[] = [];
    for (let tab = 0; tab < 25; tab += 1) tabs.push(await openAuthorization(visitor));
    expect(interactionsOf(visitor)).toHaveLength(20);
    const refused = await visitor.signIn(tabs[4] as PageResponse, 'verified');
    expect([refused.status, textOf(refused)]).toEqual([403, expect.stringContaining('is older than 20 others')]);
    for (const at of [5, 24]) {
      expect(heading(await visitor.signIn(tabs[at] as PageResponse, 'verified'))).toContain('asks for your approval');
    }
  });

  test('expires after an hour, and the page names the next step', async () => {
    const visitor = new Visitor(provider);
    const login = await openAuthorization(visitor);
    provider.clock.advance('61 minutes');
    const response = await visitor.signIn(login, 'verified');
    expect(response.status).toBe(403);
    expect(textOf(response)).toMatch(/took too long.*Go back to the application and start again/);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  test.each(['resume', 'login', 'registration'])('is not shown at /oauth/%s in another browser', async (page) => {
    const { hidden } = formOf(await openAuthorization(new Visitor(provider)));
    const other = new Visitor(provider);
    await openAuthorization(other);
    const response = await other.get(`/oauth/${page}?interaction=${hidden.interaction}`);
    expect(response.status).toBe(400);
    expect(response.text).not.toContain('<form');
  });
});
