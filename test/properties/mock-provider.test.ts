import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PAGE_PATHS, PATHS } from '../../lib/mock-provider/http/paths.js';
import { SERVICE_RULES } from '../../lib/mock-provider/protocol/rules.js';
import { provider } from '../helpers/provider.js';
import { authorization, codeFields, codeOf, encode, type Fields } from '../mock-provider/wire.js';
import { anyText, headerText } from './inputs.js';
import { testProperty } from './property.js';

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A redirect of the provider repeats the state, encoded: it may be longer than the request. */
const MAX_HEADER_BYTES = 200_000;

/** Sends a request over a socket. @returns undefined for one that Node does not send */
function send({ method = 'GET', path, headers = {}, body }: Sent): Promise<Received> | undefined {
  const { hostname, port } = new URL(provider.issuer);
  try {
    return new Promise((resolve, reject) => {
      const sent = request(
        { hostname, port, maxHeaderSize: MAX_HEADER_BYTES, method, path, headers: { ...headers, connection: 'close' } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const { statusCode: status = 0, headers: received } = response;
            resolve({ status, headers: received, text: Buffer.concat(chunks).toString() });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  } catch {
    return undefined;
  }
}

const RULES = new Set(Object.keys(SERVICE_RULES));

/** Requires that the provider has no error of its own, and that it reports each refusal with its rule. */
async function expectTyped(sent: Sent): Promise<Received | undefined> {
  const before = provider.problems.length;
  const response = await send(sent);
  if (response === undefined) return undefined;
  if (response.status >= 500) throw new Error(`status ${response.status}: ${response.text.slice(0, 500)}`);
  const problems = provider.problems.slice(before);
  expect(problems.filter(({ rule }) => !RULES.has(rule))).toEqual([]);
  return response;
}

const PARAMETERS = [
  ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'nonce', 'prompt', 'display', 'type', 'max_age'],
  ...['code_challenge', 'code_challenge_method', 'response_mode', 'id_token_hint', 'login_hint', 'request', 'claims'],
  ...['grant_type', 'code', 'code_verifier', 'refresh_token', 'client_secret', 'token', 'access_token', '__proto__'],
  ...['post_logout_redirect_uri', 'interaction', 'form_token', 'decision', 'username', 'password', 'return_to', 'url'],
];
const oddValue = fc.constantFrom(
  ...['', '0', '-1', '1e9', 'none', 'none login', 'openid', 'fragment', 'http://127.0.0.1:1/', 'javascript:alert(1)'],
  ...['\0', 'a\r\nb: c', '\ufeff', '\u202e', '<script>', '../../', 'x'.repeat(5_000), ' '.repeat(5_000)],
  ...['a.b.c', 'e30.e30.', '__proto__', 'constructor', '%', '%ff', '&=', 'code id_token'],
);
const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PARAMETERS) }, anyText);
const value = fc.oneof(oddValue, anyText, fc.array(oddValue, { maxLength: 3 }));
const fields: fc.Arbitrary<Fields> = fc.dictionary(name, value, { maxKeys: 8 });
/** Text that is encoded, or wrongly encoded. */
const encoded = fc.oneof(
  fields.map(encode),
  fc.string({ unit: fc.constantFrom(...'aces=&%+;[]0{}|^~!*'), maxLength: 300 }),
  fc
    .tuple(fc.constantFrom('a=b&', '%', '+', '=', '&', 'a'), fc.integer({ max: 20_000, min: 1 }))
    .map(([text, count]) => text.repeat(count)),
);

describe('a request to any path', () => {
  const paths = [...Object.values(PATHS), ...Object.values(PAGE_PATHS), '/', '/favicon.ico', '/api/v1/x'];
  const path = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...paths) },
    anyText.map((text) => `/${encode({ '': text }).slice(1)}`),
  );
  const headers = fc.dictionary(
    fc.constantFrom(
      ...['authorization', 'cookie', 'accept', 'content-type', 'content-encoding', 'if-none-match', 'origin'],
      ...['sec-fetch-dest', 'sec-fetch-site', 'x-forwarded-for', 'user-agent', 'access-control-request-method'],
    ),
    fc.oneof(
      headerText,
      fc.constantFrom('Basic x', 'Basic Og==', 'Bearer ', 'Bearer x', '*', 'application/json', 'a=b; '.repeat(500)),
      fc.constantFrom(
        'application/x-www-form-urlencoded',
        'iframe',
        'document',
        'null',
        'gzip',
        `${';'.repeat(9_000)}`,
      ),
    ),
  );

  testProperty(
    'has a response that is no error of the provider',
    fc.record({
      method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'),
      path: fc.tuple(path, encoded).map(([to, query]) => `${to}?${query.slice(0, 6_000)}`),
      headers,
      body: fc.oneof(encoded, anyText),
    }),
    async ({ method, body, ...sent }) => {
      await expectTyped({ method, ...sent, ...(/POST|PUT|DELETE/.test(method) && { body }) });
    },
    { runs: 150 },
  );
});

describe('an authorization request', () => {
  testProperty(
    'without a user is redirected only to the registered address, with a typed error and no code',
    fc.tuple(fc.constantFrom('openid', 'profile'), fields),
    async ([flow, changes]) => {
      const query = encode({ ...authorization(provider.clients[flow as 'openid' | 'profile']), ...changes });
      const response = await expectTyped({ path: `${PATHS.authorize}?${query}` });
      const { status = 200, headers = {} } = response ?? {};
      expect([200, 302, 303, 400, 403, 431]).toContain(status);
      if (headers.location === undefined) return;
      const target = new URL(String(headers.location));
      expect(target.hostname).toMatch(/^(127\.0\.0\.1|localhost|\[::1\])$/);
      const parameters = new URLSearchParams(target.search || target.hash.slice(1));
      expect(parameters.get('error')).toMatch(/^[a-z_]{5,40}$/);
      expect(parameters.get('error_description')).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
      expect(parameters.has('code')).toBe(false);
    },
    { runs: 100 },
  );
});

describe('a token request', () => {
  let code: string;
  beforeAll(async () => {
    code = await codeOf(provider, provider.clients.profile);
  });

  testProperty(
    'without the secret gets a typed error and no token',
    fc.tuple(fc.constantFrom(PATHS.token, PATHS.revoke, PATHS.userinfo), fields, fc.option(encoded)),
    async ([path, changes, other]) => {
      const { clientID } = provider.clients.profile;
      const valid = codeFields(provider.clients.profile, code, { client_id: clientID, client_secret: 'wrong' });
      const { client_secret: _, ...harmless } = changes;
      const response = await expectTyped({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: other ?? encode({ ...valid, ...harmless }),
      });
      const { status = 400, text = '{"error":"invalid_request"}', headers } = response ?? {};
      expect([400, 401, 413]).toContain(status);
      const { error } = JSON.parse(text) as { error: string };
      expect(['invalid_request', 'invalid_client', 'invalid_token', 'unsupported_grant_type']).toContain(error);
      expect(headers?.['cache-control']).toBe('no-store');
    },
    { runs: 80 },
  );
});

test('long requests are not stored as a whole', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const usedAfter = async (count: number): Promise<number> => {
    for (let i = 0; i < count; i += 1) {
      const query = {
        ...authorization(provider.clients.openid),
        state: `state-of-a-login-${i}`,
        x: 'y'.repeat(60_000),
      };
      await provider.fetch(`${provider.issuer}${PATHS.authorize}?${encode(query)}`);
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await usedAfter(50);
  // 12 MB of requests.
  expect((await usedAfter(200)) - before).toBeLessThan(6_000_000);
});
