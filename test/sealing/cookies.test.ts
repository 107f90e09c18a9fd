import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Sealer, Secret } from '../../lib/sealing/sealer.js';

const secrets = [new Secret('planted-sealing-secret-0123456789-0123456789')];
const instance = 'one-id';
const site = { origin: 'http://site.example', routes: { basePath: '' } };
const https = new Cookies({ site: { ...site, origin: 'https://site.example' }, instance, secrets });
const http = new Cookies({ site, instance, secrets });

function requestWith(cookie?: string): IncomingMessage {
  return { headers: { ...(cookie !== undefined && { cookie }) } } as IncomingMessage;
}

function response() {
  const lines: string[] = [];
  const res = { setHeader: (_name: string, all: readonly string[]) => lines.push(...all) } as unknown as ServerResponse;
  return { res, lines, pair: () => lines[0]?.split(';')[0] as string };
}

/** Sets a cookie, and @returns the pair that a browser sends for it. */
function pairOf(cookies: Cookies, name: string, value: string): string {
  const { res, pair } = response();
  cookies.sealed(name, 60).set(res, value);
  return pair();
}

describe('attributes', () => {
  test('on https the name has the __Host- prefix, and the cookie is Secure', () => {
    const { res, lines } = response();
    https.plain('x', 60).set(res, 'value');
    expect(lines).toEqual(['__Host-clinician-one-id-x=value; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax']);
  });

  test('after the response was sent nothing is set', () => {
    const { res, lines } = response();
    http.plain('x').set(Object.assign(res, { headersSent: true }), 'value');
    expect(lines).toEqual([]);
  });

  test('without a lifetime the cookie ends with the session of the browser', () => {
    const { res, lines } = response();
    http.plain('x').set(res, 'value');
    expect(lines).toEqual(['clinician-one-id-x=value; Path=/; HttpOnly; SameSite=Lax']);
  });

  test('clear() removes a cookie that was sent, and sets nothing for a browser without it', () => {
    const { res, lines } = response();
    http.plain('x').clear(requestWith('y=1'), res);
    expect(lines).toEqual([]);
    http.plain('x').clear(requestWith('clinician-one-id-x=1'), res);
    expect(lines).toEqual(['clinician-one-id-x=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']);
  });
});

describe('a sealed cookie', () => {
  test('opens under its own name, and hides its value', () => {
    const pair = pairOf(http, 'x', 'planted-value');
    expect(pair).not.toContain('planted-value');
    expect(http.sealed('x', 60).read(requestWith(`a=1; ${pair}; b=2`))).toBe('planted-value');
  });

  test('is undefined under another name, altered, empty or missing', () => {
    const [, value] = pairOf(http, 'x', 'value').split('=') as [string, string];
    const read = (cookie?: string) => http.sealed('y', 60).read(requestWith(cookie));
    expect(read(`clinician-one-id-y=${value}`)).toBeUndefined();
    expect(http.sealed('x', 60).read(requestWith(`clinician-one-id-x=${value.slice(0, -3)}`))).toBeUndefined();
    expect(read('clinician-one-id-y=')).toBeUndefined();
    expect(read()).toBeUndefined();
  });

  test('opens with its context only', () => {
    const { res, pair } = response();
    http.sealed('x', 60, ['a', 'b']).set(res, 'value');
    const read = (context?: string[]) => http.sealed('x', 60, context).read(requestWith(pair()));
    expect([read(['a', 'b']), read(['b', 'a']), read(['a,b']), read()]).toEqual([
      'value',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('is undefined when it is longer than this package sets one', () => {
    const value = new Sealer(secrets, 'cookies').seal('x'.repeat(3000), '["one-id","clinician-one-id-x"]');
    expect(http.sealed('x', 60).read(requestWith(`clinician-one-id-x=${value}`))).toBeUndefined();
  });

  test('opens with an older secret, and not with another one', () => {
    const pair = pairOf(http, 'x', 'value');
    const newer = new Secret('another-sealing-secret-0123456789-0123456789');
    const rotated = new Cookies({ site, instance, secrets: [newer, ...secrets] });
    const replaced = new Cookies({ site, instance, secrets: [newer] });
    expect(rotated.sealed('x', 60).read(requestWith(pair))).toBe('value');
    expect(replaced.sealed('x', 60).read(requestWith(pair))).toBeUndefined();
  });
});

test('the cookies of another instance have other names, and do not open under the same name', () => {
  const pair = pairOf(http, 'x', 'value');
  const other = new Cookies({ site, instance: 'other-id', secrets });
  const sameName = new Cookies({ site, instance: 'one-id, in its first characters', secrets });
  expect(pairOf(other, 'x', 'value')).toMatch(/^clinician-other--x=/);
  expect(sameName.sealed('x', 60).read(requestWith(pair))).toBeUndefined();
  expect(http.sealed('x', 60).read(requestWith(pair))).toBe('value');
});

test('a value too long for a cookie is not set', () => {
  const { res, lines } = response();
  const cookie = http.sealed('x', 60);
  const long = 'x'.repeat(3000);
  expect([cookie.set(res, long), lines]).toEqual([false, []]);
});
