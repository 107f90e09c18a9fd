import { describe, expect, test } from '@jest/globals';
import { basicAuthorization } from '../../lib/authorization-server/token-endpoint.js';

/** @returns the credentials of the Authorization header, decoded from base64. */
function credentials(clientID: string, clientSecret: string): string {
  const [, base64 = ''] = /^Basic ([A-Za-z0-9]+=*)$/.exec(basicAuthorization(clientID, clientSecret)) ?? [];
  return Buffer.from(base64, 'base64').toString('latin1');
}

describe('client_secret_basic', () => {
  test('a server that does not decode accepts letters, digits and -._*', () => {
    expect(credentials('a-clinic.example_1', 'Se-c_r.e*t')).toBe('a-clinic.example_1:Se-c_r.e*t');
  });

  // RFC 6749 appendix B has the example of the second row.
  test.each([
    ['a space', 's e', 's+e'],
    ['an example', ' %&+\u00a3\u20ac', '+%25%26%2B%C2%A3%E2%82%AC'],
    ['a colon', 'a:b', 'a%3Ab'],
    ['a slash', 'a/b=c', 'a%2Fb%3Dc'],
    ['a tilde', "!~'()", '%21%7E%27%28%29'],
    ['a character beyond the BMP', '\u{1f600}', '%F0%9F%98%80'],
  ])('%s is encoded in client id and secret', (_, text, encoded) => {
    expect(credentials(text, text)).toBe(`${encoded}:${encoded}`);
  });

  test('the encoding of every character is decoded as a form', () => {
    const text = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).join('');
    const [id, secret, ...rest] = credentials(text, text).split(':');
    expect(rest).toEqual([]);
    for (const part of [id, secret]) expect(new URLSearchParams(`x=${part}`).get('x')).toBe(text);
  });

  // LemonLDAP::NG 2.16 reads the header up to the first character that is not a letter, a digit or _.
  test('the base64 text has no + and no /', () => {
    const text = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
    for (let start = 0; start < text.length; start += 1) {
      expect(credentials('client', text.slice(start))).not.toBe('');
    }
  });
});
