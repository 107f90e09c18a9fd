import { createHmac, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFINITIONS, FAULT_NAMES } from '../../../lib/mock-provider/faults/catalogue.js';
import {
  FAULTS,
  type FaultName,
  type MockProvider,
  type RegisteredClient,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import {
  api,
  codeOf,
  encode,
  jwtPart,
  POST_LOGOUT_URI,
  profile,
  REDIRECT_URI,
  redeem,
  refresh,
  registerStrict,
  send,
  signIn,
  tokensOf,
  type WireResponse,
} from '../wire.js';

/** Runs one exchange. @returns true when it shows the effect of a fault */
type Effect = (client: RegisteredClient) => Promise<boolean>;
type Effects = Partial<Record<FaultName, Effect>>;
type Key = JsonWebKey & { kid?: string; n: string };

const SCOPE = 'openid basic colleagues email';
const METADATA = '/.well-known/openid-configuration';
const PROFILE = '/api/v1/users/current';
const DELAY_MS = 100;
const SHORT_MS = 50;

let provider: MockProvider;
let client: RegisteredClient;
let other: RegisteredClient;
let mounted: Server;
beforeAll(async () => {
  provider = await startMockProvider({ issParameter: true });
  client = registerStrict(provider, 'openid', { scope: SCOPE });
  other = registerStrict(provider, 'openid', { scope: SCOPE });
  mounted = createServer((req, res) => provider.app(req, res));
  await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve));
});
afterEach(() => provider.reset());
afterAll(async () => {
  mounted.closeAllConnections();
  mounted.close();
  await provider.stop();
});

const login = (of: RegisteredClient) => tokensOf(provider, of, { scope: SCOPE, nonce: 'a nonce' });
const publishedKeys = async (): Promise<Key[]> => (await send(provider, '/.well-known/jwks.json')).json.keys;
const headerOf = (token: string) => jwtPart(token, 'header');

function isSignedBy(token: string, key: JsonWebKey): boolean {
  const [head, body, signature = ''] = token.split('.');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'));
}
const isSigned = (token: string, keys: Key[]) => keys.some((key) => isSignedBy(token, key));

/** @param isWrong gets the published keys, and the id of the key before the sign-in */
const atSignIn =
  (isWrong: (token: string, keys: Key[], before: string) => boolean): Effect =>
  async (of) => {
    const before = provider.keys.current;
    const { id_token } = await login(of);
    return isWrong(id_token, await publishedKeys(), before);
  };
/** A claim is wrong, and the signature is valid. */
const inClaims = (isWrong: (claims: Record<string, unknown>) => boolean): Effect =>
  atSignIn((token, keys) => isSigned(token, keys) && isWrong(jwtPart(token, 'claims')));

const ID_TOKENS: Effects = {
  badSignature: atSignIn((token, keys) => !isSigned(token, keys)),
  algNone: atSignIn((token) => headerOf(token).alg === 'none' && token.endsWith('.')),
  symmetricKeyConfusion: atSignIn((token, [key]) => {
    const [head, body, signature] = token.split('.');
    const pem = createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const expected = createHmac('sha256', pem).update(`${head}.${body}`).digest('base64url');
    return headerOf(token).alg === 'HS256' && signature === expected;
  }),
  wrongAlgorithm: atSignIn((token) => headerOf(token).alg === 'ES256' && token.split('.')[2]?.length === 86),
  unknownKid: atSignIn((token, keys) => !keys.some(({ kid }) => kid === headerOf(token).kid)),
  missingKid: atSignIn((token, keys) => keys.length === 1 && !('kid' in headerOf(token))),
  missingKidSeveralKeys: atSignIn((token, keys) => keys.length > 1 && !('kid' in headerOf(token))),
  embeddedKey: atSignIn((token, keys) => {
    const { jwk } = headerOf(token);
    return jwk !== undefined && isSignedBy(token, jwk as JsonWebKey) && !isSigned(token, keys);
  }),
  criticalHeader: atSignIn((token) => Array.isArray(headerOf(token).crit)),
  malformedIDToken: atSignIn((token) => !token.includes('.')),
  keysRotated: atSignIn((token, keys, before) => isSigned(token, keys) && headerOf(token).kid !== before),
  wrongIssuer: inClaims(({ iss }) => iss === 'https://evil.example'),
  missingSub: inClaims(({ sub }) => sub === undefined),
  extraAudience: inClaims(({ aud }) => (aud as string[]).includes('https://evil.example')),
  expired: inClaims(({ exp, iat }) => Number(exp) < Number(iat)),
  issuedInFuture: inClaims(({ iat }) => Number(iat) > Date.now() / 1000 + 1800),
  staleAuthTime: inClaims(({ iat, auth_time }) => Number(iat) - Number(auth_time) > 3600),
};

const atCallback =
  (isWrong: (sent: URLSearchParams, of: RegisteredClient) => boolean): Effect =>
  async (of) =>
    isWrong((await signIn(provider, of, { scope: SCOPE })).searchParams, of);

const REDIRECTS: Effects = {
  wrongState: atCallback((sent) => sent.get('state') === 'another-state'),
  missingIssParameter: atCallback((sent) => !sent.has('iss')),
  async logoutMissingState(of) {
    const { id_token } = await login(of);
    const fields = { id_token_hint: id_token, post_logout_redirect_uri: POST_LOGOUT_URI, state: 'a state' };
    const { location } = await send(provider, `/oauth/logout?${encode(fields)}`);
    return location.href === POST_LOGOUT_URI;
  },
  sessionChanged: atCallback((sent, { clientID }) => {
    const check = { clientID, sessionState: sent.get('session_state') ?? '', origin: new URL(REDIRECT_URI).origin };
    return provider.checkSession(check) === 'changed';
  }),
  authorizationError: atCallback((sent) => sent.get('error') === 'server_error' && sent.get('state') === 'a state'),
  repeatedParameters: atCallback((sent) => ['code', 'state', 'iss'].every((name) => sent.getAll(name).length === 2)),
  duplicateCallback: atCallback((sent) => sent.has('code') && provider.requests.at(-1)?.status === 200),
};

const inResource =
  (path: string, isWrong: (json: Record<string, unknown>) => boolean): Effect =>
  async (of) =>
    isWrong((await api(provider, path, (await login(of)).access_token)).json);
const verified = () => provider.clinicians.get('verified');

const DOCUMENTS: Effects = {
  discoveryWrongIssuer: inResource(METADATA, ({ issuer }) => issuer !== provider.issuer),
  wrongKeys: async () => (await publishedKeys()).every(({ n }) => n.slice(100, 108) === 'AAAAAAAA'),
  unsupportedKeys: async () => {
    const types = (await publishedKeys()).map(({ kty }) => kty);
    return types.length === 5 && types[0] === 'oct' && types[4] === 'RSA';
  },
  userinfoWrongSubject: inResource('/oauth/userinfo', ({ sub }) => sub !== verified().sub),
  profileWrongID: inResource(PROFILE, ({ id }) => id !== verified().id),
  profileMalformed: inResource(PROFILE, (json) => json.verified === 'true'),
};

const isJSON = ({ text }: WireResponse) => {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
};
const atToken =
  (isWrong: (response: WireResponse) => boolean): Effect =>
  async (of) =>
    isWrong(await redeem(provider, of, await codeOf(provider, of, { scope: SCOPE })));
const hasError = (status: number, error: string) =>
  atToken((sent) => sent.status === status && sent.json.error === error);
const hasType = ({ headers }: WireResponse, type: string) => headers.get('content-type') === type;

const EXCHANGES: Effects = {
  wrongExpiresIn: atToken(({ json }) => json.expires_in === 'soon'),
  missingRefreshToken: atToken(({ json }) => !('refresh_token' in json)),
  unavailable: hasError(503, 'temporarily_unavailable'),
  errorWithSuccess: hasError(200, 'server_error'),
  codeRefused: hasError(400, 'invalid_grant'),
  unexpectedRedirect: atToken(
    ({ status, location }) => status === 307 && location.href === `${provider.issuer}/oauth/token`,
  ),
  async refreshRefused(of) {
    const { status, json } = await refresh(provider, of, (await login(of)).refresh_token);
    return status === 400 && json.error === 'invalid_grant';
  },
  async rateLimited(of) {
    const { access_token } = await login(of);
    provider.clock.freeze();
    const { status, headers } = await profile(provider, access_token);
    const resetAt = String(Math.ceil(provider.clock.now() / 1000 + 3600));
    const isLimited = headers.get('x-rate-limit-reset') === resetAt && headers.get('x-rate-limit-remaining') === '0';
    return status === 429 && headers.get('retry-after') === '3600' && isLimited;
  },
  async accessTokenRefused(of) {
    const { status, headers } = await profile(provider, (await login(of)).access_token);
    return status === 401 && /error="invalid_token"/.test(headers.get('www-authenticate') ?? '');
  },
  malformedJSON: atToken((sent) => sent.status === 200 && !isJSON(sent) && sent.text.endsWith('}')),
  nullResponse: atToken(({ status, text }) => status === 200 && text === 'null'),
  repeatedMembers: atToken((sent) => sent.text.split('"access_token":').length === 3 && isJSON(sent)),
  pollutedJSON: atToken((sent) => sent.text.startsWith('{"__proto__":') && isJSON(sent)),
  htmlInsteadOfJSON: atToken((sent) => sent.text.startsWith('<') && hasType(sent, 'text/html')),
  wrongContentType: atToken((sent) => hasType(sent, 'text/plain') && isJSON(sent)),
  oversizedBody: atToken((sent) => sent.text.length > 1_000_000 && isJSON(sent)),
  /** Measures the delay only where a fault applied: a busy machine delays other responses too. */
  async delay(of) {
    const code = await codeOf(provider, of, { scope: SCOPE });
    const start = performance.now();
    await redeem(provider, of, code);
    const isDelayed = provider.requests.at(-1)?.fault === 'delay';
    if (isDelayed) expect(performance.now() - start).toBeGreaterThanOrEqual(DELAY_MS - 1);
    return isDelayed;
  },
};

const EFFECTS: Effects = { ...ID_TOKENS, ...REDIRECTS, ...DOCUMENTS, ...EXCHANGES };
const NAMES = Object.keys(EFFECTS) as FaultName[];

/** The first fault of each kind at the same endpoints: how often and to which client a fault applies does not depend on more. */
const FIRST_OF_KIND = new Set(
  new Map(NAMES.toReversed().map((name) => [`${FAULTS[name].kind} ${FAULTS[name].endpoints}`, name])).values(),
);

/** What a request gets with faults for which the transport matters. */
const OUTCOMES: Partial<Record<FaultName, string | number>> = {
  reset: 'TypeError',
  noResponse: 'TimeoutError',
  stalledResponse: 'TimeoutError',
  truncatedResponse: 'TypeError',
  responseLost: 'TypeError',
  serverError: 500,
};

test('each fault has a test of its effect, unless it only removes or sets members', () => {
  const setsMembers = (name: FaultName) => 'remove' in DEFINITIONS[name] || 'set' in DEFINITIONS[name];
  const missing = FAULT_NAMES.filter((name) => !(name in { ...EFFECTS, ...OUTCOMES }) && !setsMembers(name));
  expect(missing.map((name) => `fault ${name} has no entry in ${import.meta.url}`)).toEqual([]);
});

describe.each(NAMES)('%s', (name) => {
  const exchange = EFFECTS[name] as Effect;
  const options = name === 'delay' ? { delay: DELAY_MS } : {};

  test('next() applies to one exchange; the one after it succeeds', async () => {
    provider.faults.next(name, options);
    expect(await exchange(client)).toBe(true);
    expect(provider.faults.queued).toEqual([]);
    expect(provider.requests.filter(({ fault }) => fault === name)).toHaveLength(1);
    expect(await exchange(client)).toBe(false);
  });

  if (!FIRST_OF_KIND.has(name)) return;

  test('always() applies to each exchange until reset()', async () => {
    provider.faults.always(name, options);
    expect([await exchange(client), await exchange(client)]).toEqual([true, true]);
    provider.reset();
    expect(await exchange(client)).toBe(false);
  });

  test('client limits it to one client, or is refused where requests do not identify the client', async () => {
    const forOther = { ...options, client: other.clientID };
    if (!FAULTS[name].options.includes('client')) {
      expect(() => provider.faults.next(name, forOther)).toThrow('requests there do not identify the client');
      return;
    }
    provider.faults.next(name, forOther);
    expect([await exchange(client), await exchange(other)]).toEqual([false, true]);
  });
});

test.each([
  ['serverError', { status: 200 }],
  ['responseLost', { json: { error: 'invalid_grant' } }],
] as const)(
  'after %s at the token endpoint the code is used only if the request was processed',
  async (name, again) => {
    provider.faults.next(name);
    const code = await codeOf(provider, client);
    await redeem(provider, client, code).catch(() => undefined);
    expect(await redeem(provider, client, code)).toMatchObject(again);
  },
);

/** A signal that is aborted soon after the provider has received a request. */
function abortedAfterRequest(): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException('no response', 'TimeoutError'));
  void provider.requests
    .waitFor(({ path }) => path === METADATA, { timeout: '1 minute' })
    .then(() => setTimeout(abort, SHORT_MS));
  return controller.signal;
}

describe.each<[string, (init: RequestInit) => Promise<Response>]>([
  ['a socket', (init) => fetch(provider.issuer + METADATA, init)],
  ['provider.app', (init) => fetch(`http://127.0.0.1:${(mounted.address() as AddressInfo).port}${METADATA}`, init)],
  ['provider.fetch', (init) => provider.fetch(provider.issuer + METADATA, init)],
])('through %s', (_transport, fetchMetadata) => {
  test.each(Object.entries(OUTCOMES))('%s: %s', async (fault, expected) => {
    const outcome = async (init: RequestInit = {}) => {
      try {
        const response = await fetchMetadata(init);
        await response.text();
        return response.status;
      } catch (error) {
        return (error as Error).name;
      }
    };
    provider.faults.next(fault as FaultName, { endpoint: METADATA });
    expect(await outcome(expected === 'TimeoutError' ? { signal: abortedAfterRequest() } : {})).toBe(expected);
    expect(await outcome()).toBe(200);
  });
});
