import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, jest, test } from '@jest/globals';
import { json } from '../authorization-server/hostile-authorization-server.js';
import { testKeys } from '../authorization-server/test-keys.js';
import type { SiteOptions } from '../integration/site.js';
import { expectUnblocked } from '../properties/property.js';
import { hostileTest, PATHS, PROFILE } from './hostile-service.js';

const hostile = hostileTest();
const { service } = hostile;

type Respond = (response: ServerResponse) => void;
type DocumentName = keyof typeof PATHS;
const DOCUMENTS: [DocumentName, string][] = [
  ['metadata', 'response_malformed'],
  ['jwks', 'response_malformed'],
  ['token', 'response_malformed'],
  ['profile', 'response_malformed'],
  ['colleagues', 'response_malformed'],
  ['rateLimit', 'response_malformed'],
];

/** The result for a document that is read, and is a profile. */
const READ: Record<DocumentName, string> = {
  metadata: 'issuer_mismatch',
  jwks: 'id_token_invalid',
  token: 'response_malformed',
  profile: 'done',
  colleagues: 'response_malformed',
  rateLimit: 'response_malformed',
};

/** Requests a document that a test replaces. @returns the code of the error, or `done` */
async function request(name: DocumentName, respond: Respond, options: SiteOptions = {}): Promise<string> {
  const site = hostile.site({ profileRequired: name === 'profile', ...options });
  service.behaviour.endpoints[PATHS[name]] = (_, response) => respond(response);
  return expectUnblocked(async () => {
    const { code, agent } = await hostile.signIn(site);
    if (name !== 'colleagues' && name !== 'rateLimit') return code;
    return (await agent.get(`/call/${name}`)).body.code as string;
  });
}

const numbered = (count: number, item: (index: number) => string) => Array.from({ length: count }, (_, i) => item(i));

describe.each(DOCUMENTS)('the document %s', (name, malformed) => {
  test.each([
    ['60,000 members', `{${numbered(60_000, (i) => `"${i.toString(36)}":0`)}}`, /_malformed|response_malformed/],
    ['11,000 members', `{${numbered(11_000, (i) => `"${i.toString(36)}":0`)}}`, /_malformed|response_malformed/],
    ['30,000 empty objects', `{"a":[${numbered(30_000, () => '{}')}]}`, /_malformed/],
  ])('with %s is refused without blocking other requests', async (_, body, code) => {
    expect(await request(name, (response) => json(response, 200, body))).toMatch(code);
  });

  test('with 10,001 values is refused', async () => {
    const body = `{"a":[${'0,'.repeat(9_999)}0]}`;
    expect(await request(name, (response) => json(response, 200, body))).toBe(malformed);
  });

  test('that is longer than its limit is not read to its end, also by a custom fetch', async () => {
    let sent = 0;
    const maxSent = 20_000_000;
    const endless: Respond = (response) => {
      response.on('error', () => {});
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(50_000, ' ');
      const more = (): void => {
        while (!response.destroyed && sent < maxSent) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    };
    expect(await request(name, endless)).toBe('response_malformed');
    expect(await request(name, endless, { fetch: globalThis.fetch as never })).toBe('response_malformed');
    expect(sent).toBeLessThan(maxSent);
  });

  test('whose limit is exceeded by one byte is refused, and at the limit it is parsed', async () => {
    const limit = { jwks: 250_000, colleagues: 500_000 }[name as string] ?? 100_000;
    const padded = (size: number) => (response: ServerResponse) => json(response, 200, `[]${' '.repeat(size - 2)}`);
    expect(await request(name, padded(limit + 1))).toBe('response_malformed');
    expect(await request(name, padded(limit))).toBe(malformed);
  });

  const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  test.each([
    ['without', ''],
    ['with', UPGRADE],
  ])('that is 101 Switching Protocols %s an Upgrade header is refused, and not waited for', async (_, headers) => {
    const switching: Respond = ({ socket }) => socket?.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
    expect(await request(name, switching)).toBe('response_malformed');
  });

  test('that does not arrive within the option timeout is not waited for', async () => {
    const timeout = 60_000;
    const timers = jest.spyOn(globalThis, 'setTimeout');
    // The time limit of the request passes when it has arrived. Other requests need as long as the machine takes.
    const expire = jest.fn(() => timers.mock.calls.findLast(([, ms]) => ms === timeout)?.[0]());
    try {
      expect(await request(name, expire, { timeout })).toBe('service_unreachable');
      expect(expire).toHaveBeenCalledTimes(1);
      expect(timers.mock.calls.map(([, ms]) => ms)).toContain(timeout);
    } finally {
      timers.mockRestore();
    }
  });

  const text = JSON.stringify(PROFILE);
  test.each<[string, string, string | Buffer]>([
    ['a byte order mark', 'application/json', `\ufeff${text}`],
    ['bytes that are not UTF-8', 'application/json', Buffer.from(text.replace('Ann', '\xe4'), 'latin1')],
    ['bytes of the charset that it names', 'application/json;charset=utf-16', Buffer.from(text, 'utf16le')],
    [
      'bytes of UTF-16 with a byte order mark',
      'application/json;charset=utf-16',
      Buffer.from(`\ufeff${text}`, 'utf16le'),
    ],
    ['bytes of UTF-7', 'application/json;charset=utf-7', text.replaceAll('"', '+ACI-')],
    ['another content type', 'text/plain', text],
    ['another type of JSON', 'text/json', text],
    ['JSON as a parameter', 'text/html;application/json', text],
    ['two types in one header', 'application/json, text/html', text],
    ['two types in one header, the first with a parameter', 'application/json;charset=utf-8, text/html', text],
    ['a quoted parameter without its end', 'application/json;x="a, text/html', text],
    ['a quoted parameter whose end is escaped', 'application/json;x="a\\", text/html', text],
    ['a member twice', 'application/json', text.replace('{', '{"id":2,')],
    ['a member twice, once escaped', 'application/json', text.replace('{', '{"\\u0069d":2,')],
    ['33 levels', 'application/json', text.replace('{', `{"a":${'['.repeat(32)}${']'.repeat(32)},`)],
  ])('with %s is refused', async (_, type, body) => {
    const respond: Respond = (response) => response.writeHead(200, { 'content-type': type }).end(body);
    expect(await request(name, respond)).toBe(malformed);
  });

  test('with two content types is refused', async () => {
    const respond: Respond = (response) => {
      const types = ['Content-Type', 'application/json;charset=ISO-8859-1', 'Content-Type', 'application/json'];
      response.writeHead(200, types).end(text);
    };
    expect(await request(name, respond)).toBe(malformed);
  });

  test('with a long content type does not block other requests', async () => {
    const respond: Respond = ({ socket }) => {
      const type = `application/json;${' ;'.repeat(3_500)}${' '.repeat(7_000)},`;
      socket?.end(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n{}`);
    };
    expect(await request(name, respond)).toMatch(/_malformed/);
  });

  // RFC 8259 section 11: the parameter has no meaning.
  test('with the charset ISO-8859-1 is read as UTF-8', async () => {
    const json = text.replace('Ann', '\u00c4nn');
    const respond: Respond = (response) =>
      response.writeHead(200, { 'content-type': 'application/json;charset=ISO-8859-1' }).end(json);
    // It is read, and is not the document that is expected at most endpoints.
    expect(await request(name, respond)).toBe(READ[name]);
  });
});

describe('the key set', () => {
  const bigInt = (text: string | undefined) => BigInt(`0x${Buffer.from(text as string, 'base64url').toString('hex')}`);
  const octets = (value: bigint) => {
    const hex = value.toString(16);
    return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
  };
  const inverse = (value: bigint, modulus: bigint): bigint => {
    let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
    while (a > 1n) [a, b, x, y] = [b % a, a, y - (b / a) * x, x];
    return ((x % modulus) + modulus) % modulus;
  };
  /** @returns the first test key with another public exponent. */
  function withExponent(e: bigint): JsonWebKey & { kid: string } {
    const key = testKeys.first;
    const [p, q] = [bigInt(key.p), bigInt(key.q)];
    const d = inverse(e, (p - 1n) * (q - 1n));
    return { ...key, e: octets(e), d: octets(d), dp: octets(d % (p - 1n)), dq: octets(d % (q - 1n)) };
  }
  const publish = (...keys: unknown[]) => {
    service.behaviour.jwks = (own) => ({ keys: [...keys, ...own] });
  };
  const { kty, n, e } = createPublicKey({ key: testKeys.second, format: 'jwk' }).export({ format: 'jwk' });
  const codeOfSignIn = async () => (await hostile.signIn()).code;

  test('of 1,250 keys with long exponents does not block other requests', async () => {
    const crafted = { kty, n, e: n, kid: testKeys.first.kid };
    publish(...Array.from({ length: 1_250 }, () => crafted));
    expect(await expectUnblocked(codeOfSignIn)).toBe('response_malformed');
    publish(...Array.from({ length: 250 }, () => crafted));
    expect(await expectUnblocked(codeOfSignIn)).toBe('response_malformed');
  });

  test('has at most 20 keys', async () => {
    const keys = (count: number) => Array.from({ length: count }, (_, i) => ({ kty, n, e, kid: `key ${i}` }));
    publish(...keys(19));
    expect(await codeOfSignIn()).toBe('done');
    publish(...keys(20));
    expect(await codeOfSignIn()).toBe('response_malformed');
    publish(...Array.from({ length: 20 }, () => null));
    expect(await codeOfSignIn()).toBe('response_malformed');
  });

  test('has at most two keys with one kid', async () => {
    const same = { kty, n, e, kid: testKeys.first.kid };
    publish(same);
    expect(await codeOfSignIn()).toBe('done');
    publish(same, same);
    expect(await codeOfSignIn()).toBe('response_malformed');
  });

  test('has RSA keys of 2048 to 4096 bits: longer ones are ignored', async () => {
    Object.assign(service.behaviour, { signingKey: testKeys.long, publishedKeys: [testKeys.long] });
    expect(await codeOfSignIn()).toBe('done');
    const longer = octets(bigInt(testKeys.long.n) * 2n + 1n);
    // A token without a kid is only accepted when there is one key.
    Object.assign(service.behaviour, { header: () => ({ alg: 'RS256' }) });
    for (const n of [longer, 'x'.repeat(20_000)]) {
      publish({ kty, n, e });
      expect(await codeOfSignIn()).toBe('done');
    }
  });

  test('has public exponents of at most 32 bits: keys with a longer one are ignored', async () => {
    for (const [exponent, code] of [
      [2n ** 32n - 5n, 'done'],
      [2n ** 32n + 15n, 'id_token_invalid'],
    ] as const) {
      const key = withExponent(exponent);
      Object.assign(service.behaviour, { signingKey: key, publishedKeys: [key] });
      expect(await codeOfSignIn()).toBe(code);
    }
  });
});
