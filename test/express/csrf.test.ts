import { beforeEach, describe, expect, test } from '@jest/globals';
import { CSRFProtection } from '../../lib/express/csrf.js';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Secret } from '../../lib/sealing/secret.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import { createExchange } from '../helpers/exchange.js';
import { movableClock } from '../token-vault/movable-clock.js';

const ORIGIN = 'https://app.example';
const HOURS = 60 * 60 * 1000;
const crossSite = expect.objectContaining({ code: 'cross_site_request' });
let clock = movableClock();
let csrf: CSRFProtection;

function protection(secret = 'a secret of thirty-two bytes or more'): CSRFProtection {
  const secrets = [new Secret(secret)];
  const loginSession = { find: ({ user }: SessionRequest) => user as never };
  const cookies = new Cookies({ secure: true, secrets, instance: 'instance' });
  return new CSRFProtection({
    secrets,
    onUnknownSecret: () => undefined,
    origin: ORIGIN,
    clock,
    cookies,
    loginSession,
  });
}

/** @param user the login of the request */
const post = (headers: object, user?: object) =>
  createExchange({ method: 'POST', headers: { 'content-length': '0', ...headers }, ...(user && { user }) }).req;

beforeEach(() => {
  clock = movableClock();
  csrf = protection();
});

describe('a token of a login', () => {
  const token = () => csrf.token(createExchange({ user: { grantID: 'a' } }).req);
  const send = (headers: object, grantID = 'a') => csrf.assertSameOrigin(post(headers, { grantID }));

  test('is accepted where the browser does not name the origin', async () => {
    await expect(send({ 'x-csrf-token': token() })).resolves.toBeUndefined();
    await expect(send({ 'x-csrf-token': token(), origin: 'null' })).resolves.toBeUndefined();
  });

  test('is refused with another login, and without one', async () => {
    await expect(send({ 'x-csrf-token': token() }, 'b')).rejects.toEqual(crossSite);
    await expect(csrf.assertSameOrigin(post({ 'x-csrf-token': token() }))).rejects.toEqual(crossSite);
  });

  test('is refused from a page that another site has opened', async () => {
    await expect(send({ 'x-csrf-token': token(), 'sec-fetch-site': 'cross-site' })).rejects.toEqual(crossSite);
    await expect(send({ 'x-csrf-token': token(), 'sec-fetch-site': 'same-site' })).rejects.toEqual(crossSite);
    await expect(send({ 'x-csrf-token': token(), origin: 'https://evil.example' })).rejects.toEqual(crossSite);
  });

  test('is accepted for twelve hours', async () => {
    const headers = { 'x-csrf-token': token() };
    clock.advance(12 * HOURS);
    await expect(send(headers)).resolves.toBeUndefined();
    clock.advance(1);
    await expect(send(headers)).rejects.toEqual(crossSite);
  });

  test('is refused if it is altered, empty or of another secret', async () => {
    const other = protection('another secret of thirty-two bytes').token(
      createExchange({ user: { grantID: 'a' } }).req,
    );
    for (const value of [`${token()}A`, token().slice(0, -1), '', other]) {
      await expect(send({ 'x-csrf-token': value })).rejects.toEqual(crossSite);
    }
  });
});

test('a page of the same origin needs no token', async () => {
  await expect(csrf.assertSameOrigin(post({ 'sec-fetch-site': 'same-origin' }))).resolves.toBeUndefined();
  await expect(csrf.assertSameOrigin(post({ origin: ORIGIN }))).resolves.toBeUndefined();
});

test('a request without an origin and without a token is refused', async () => {
  await expect(csrf.assertSameOrigin(post({}))).rejects.toEqual(crossSite);
});

describe('a token of a signed-out user', () => {
  test('is bound to the browser by a cookie', async () => {
    const page = createExchange();
    const token = csrf.token(page.req);
    const cookie = page.cookie();
    expect(cookie).toMatch(/^__Host-clinician-\S+-csrf=/);
    await expect(csrf.assertSameOrigin(post({ 'x-csrf-token': token, cookie }))).resolves.toBeUndefined();
    await expect(csrf.assertSameOrigin(post({ 'x-csrf-token': token }))).rejects.toEqual(crossSite);
    const other = createExchange();
    csrf.token(other.req);
    await expect(csrf.assertSameOrigin(post({ 'x-csrf-token': token, cookie: other.cookie() }))).rejects.toEqual(
      crossSite,
    );
  });

  test('sets the cookie once in a request, and not for a browser that has it', () => {
    const first = createExchange();
    csrf.token(first.req);
    csrf.token(first.req);
    expect(first.cookie().split('; ')).toHaveLength(1);
    const next = createExchange({ headers: { cookie: first.cookie() } });
    csrf.token(next.req);
    expect(next.cookie()).toBe('');
  });

  test('is an error after the response has been sent', () => {
    const { req, res } = createExchange();
    Object.defineProperty(res, 'headersSent', { value: true });
    expect(() => csrf.token(req)).toThrow(expect.objectContaining({ code: 'csrf_token_too_late' }));
  });
});
