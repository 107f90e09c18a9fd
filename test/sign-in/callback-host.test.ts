import { describe, expect, test } from '@jest/globals';
import { CallbackHost } from '../../lib/sign-in/callback-host.js';
import { createExchange } from '../helpers/exchange.js';

const callbackURL = 'https://app.example/auth/callback';
const trusting = { get: () => () => true };

/** A site at `callbackURL`, and the codes that it reports. */
function siteAt(url: string, isLoginRoute = true) {
  const reported: string[] = [];
  const callbackHost = new CallbackHost({
    callbackURL: url,
    events: { report: (code) => void reported.push(code) },
    isLoginRoute: () => isLoginRoute,
  });
  const request = (host: string, url = '/auth/login', headers = {}, app?: object, method = 'GET') =>
    createExchange({ method, url, headers: { host, ...headers }, ...(app && { app }) }).req;
  return { callbackHost, reported, request };
}

describe('the redirect to the host of the callback', () => {
  test('has the path, the query and a marker, and is reported once', () => {
    const { callbackHost, reported, request } = siteAt(callbackURL);
    const redirect = () => callbackHost.redirectTo(request('www.app.example', '/auth/login?returnTo=/a'));
    expect([redirect(), redirect()]).toEqual(
      Array(2).fill('https://app.example/auth/login?returnTo=%2Fa&from_other_host=1'),
    );
    expect(reported).toEqual(['other_host']);
  });

  test.each([
    ['the same host', 'app.example', '/auth/login', 'GET'],
    ['the same host with another port: cookies have no port', 'app.example:8443', '/auth/login', 'GET'],
    ['a form, which a redirect would lose', 'www.app.example', '/auth/login', 'POST'],
    ['a path that is a whole URL', 'www.app.example', 'https://evil.example/', 'GET'],
    ['a loopback address, which no browser requests a public site by', '127.0.0.1', '/auth/login', 'GET'],
    ['a host that is not valid', 'a b', '/auth/login', 'GET'],
  ])('is left out for %s', (_title, host, url, method) => {
    const { callbackHost, reported, request } = siteAt(callbackURL);
    expect(callbackHost.redirectTo(request(host, url, {}, undefined, method))).toBeUndefined();
    expect(reported).toEqual([]);
  });

  test('leads from localhost to 127.0.0.1, and never to the host of the request', () => {
    const { callbackHost, request } = siteAt('http://127.0.0.1:3000/auth/callback');
    const location = callbackHost.redirectTo(request('localhost:3000'));
    expect(location).toBe('http://127.0.0.1:3000/auth/login?from_other_host=1');
  });

  describe('is left out for another port of this machine, where the site may not listen, which is reported', () => {
    const document = { 'sec-fetch-dest': 'document' };
    test.each<[string, string, object, string[]]>([
      ['once, for a page', '127.0.0.1:3000', document, ['other_host']],
      ['not for the port of callbackURL', '127.0.0.1:5001', document, []],
      ['not for a script or a test', '127.0.0.1:3000', {}, []],
      ['not behind a proxy', '127.0.0.1:3000', { ...document, referer: 'http://127.0.0.1:5001/' }, []],
    ])('%s', (_title, host, headers, expected) => {
      const { callbackHost, reported, request } = siteAt('http://127.0.0.1:5001/auth/callback');
      const redirect = () => callbackHost.redirectTo(request(host, '/auth/login', headers));
      expect([redirect(), redirect()]).toEqual([undefined, undefined]);
      expect(reported).toEqual(expected);
    });
  });

  test('happens once: a proxy that replaces the host would redirect forever', () => {
    const { callbackHost, request } = siteAt(callbackURL);
    expect(callbackHost.redirectTo(request('internal', '/auth/login?from_other_host=1'))).toBeUndefined();
    expect(callbackHost.redirectTo(request('internal'))).toBeUndefined();
  });

  test('leads from another path only if requests are known to show the host of the browser', () => {
    const { callbackHost, request } = siteAt(callbackURL, false);
    expect(callbackHost.redirectTo(request('www.app.example', '/notes'))).toBeUndefined();
    callbackHost.observe(request('app.example'));
    expect(callbackHost.redirectTo(request('www.app.example', '/notes'))).toMatch('https://app.example/notes?');
  });
});

describe('a forwarded host', () => {
  const forwarded = { 'x-forwarded-host': 'www.app.example, proxy.example' };

  test('of a trusted proxy is the host of the browser', () => {
    const { callbackHost, request } = siteAt(callbackURL);
    expect(callbackHost.redirectTo(request('internal', '/auth/login', forwarded, trusting))).toBeDefined();
  });

  test('of another client is ignored, with the host that the proxy may have replaced', () => {
    const { callbackHost, request } = siteAt(callbackURL);
    expect(callbackHost.redirectTo(request('www.app.example', '/auth/login', forwarded))).toBeUndefined();
  });

  test('that a client sends does not show that hosts are passed on, where they were known not to be', () => {
    const { callbackHost, request } = siteAt(callbackURL);
    callbackHost.redirectTo(request('internal', '/auth/login?from_other_host=1'));
    const forged = { 'x-forwarded-host': 'app.example' };
    callbackHost.observe(request('internal', '/auth/callback', forged, trusting));
    expect(callbackHost.redirectTo(request('internal'))).toBeUndefined();
  });
});

test('another host is known only after a request with the expected one', () => {
  const { callbackHost, request } = siteAt(callbackURL);
  expect(callbackHost.isOther(request('www.app.example'))).toBe(false);
  callbackHost.observe(request('app.example'));
  expect([callbackHost.isOther(request('www.app.example')), callbackHost.isOther(request('app.example'))]).toEqual([
    true,
    false,
  ]);
});
