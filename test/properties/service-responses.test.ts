import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type supertest from 'supertest';
import { ERROR_SECTIONS } from '../../lib/errors/error-codes.js';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { RateBudget, rateLimitIn } from '../../lib/resource-api/request-limits.js';
import type { Site } from '../integration/site.js';
import { hostileTest, PATHS, PROFILE } from '../security/hostile-service.js';
import { type Alteration, alterations, anyJSON, headerText } from './inputs.js';
import { testProperty } from './property.js';

const hostile = hostileTest();
const { service } = hostile;

const CODES = new Set(ERROR_SECTIONS.flatMap(([, codes]) => Object.keys(codes)));
const OAUTH_ERROR = /^[a-z][a-z0-9_]{0,63}$/;

function expectTyped(code: string): void {
  if (code === 'done' || (code !== 'site_error' && (CODES.has(code) || OAUTH_ERROR.test(code)))) return;
  throw new Error(`The code ${code} is not one of this package.`);
}

/** All properties share one site: a new one for each input would take most of the time. */
let shared: Site | undefined;
const realFetch = createFetch();
const origins = new Set<string>();
const fetch: Fetch = (url, init) => {
  origins.add(new URL(url).origin);
  return realFetch(url, init);
};
function site(): Site {
  shared ??= hostile.site({ fetch });
  return shared;
}

/** The clock of the site never goes back, as cached documents would then not expire. */
let { now } = service;
function advance(seconds: number): void {
  now += seconds;
  service.now = now;
}

/** Signs in after the cached documents have expired. @returns the user who is signed in, if any */
async function identityAfterSignIn(): Promise<string | undefined> {
  advance(4_000);
  const { code, agent } = await hostile.signIn(site());
  expectTyped(code);
  const { status, body } = await agent.get('/me');
  expect(status).toBe(code === 'done' ? 200 : 401);
  expect([...origins]).toEqual([service.issuer]);
  return body.identity?.id;
}

const respond = (path: string, alter: Alteration, members: () => Record<string, unknown>) => {
  service.behaviour.endpoints[path] = (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(alter(members()));
};

/** Restores the service, which the next input alters again. */
const restore = () => service.reset();

describe('a response of the service', () => {
  const metadataNames = [
    ...['issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'end_session_endpoint'],
    ...['jwks_uri', 'check_session_iframe', 'code_challenge_methods_supported'],
  ];
  const tokenNames = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'id_token', 'scope', 'error'];
  const keyNames = ['keys', 'kty', 'n', 'e', 'kid', 'use', 'alg', 'key_ops', 'd', 'x5c'];
  const keys = fc.tuple(alterations(keyNames), fc.array(alterations(keyNames), { maxLength: 3 }));

  testProperty(
    'that is altered signs in the user or none, and no request is sent to another origin',
    fc.oneof(
      alterations(metadataNames).map((alter) => () => respond(PATHS.metadata, alter, () => service.metadata())),
      alterations(tokenNames).map((alter) => () => {
        service.behaviour.token = (members) => alter(members).toString();
      }),
      keys.map(([alter, more]) => () => {
        service.behaviour.jwks = ([key]) => {
          const altered = more.map((change) => change({ ...key })).map((text) => parsed(text));
          return alter({ keys: [key, ...altered] }).toString();
        };
      }),
    ),
    async (alterService) => {
      alterService();
      const id = await identityAfterSignIn();
      if (id !== undefined) expect(id).toBe(service.subject);
      restore();
    },
    { runs: 60 },
  );

  testProperty(
    'with altered claims of the ID Token signs in only their user, at this client, in this login',
    fc.tuple(
      fc.constantFrom('iss', 'sub', 'aud', 'azp', 'nonce', 'at_hash', 'exp', 'iat', 'nbf', 'auth_time', 'events'),
      anyJSON,
    ),
    async ([name, value]) => {
      let valid: Record<string, unknown> = {};
      let sent: Record<string, unknown> = {};
      service.behaviour.claims = (claims) => {
        valid = claims;
        sent = JSON.parse(JSON.stringify({ ...claims, [name]: value }));
        return sent;
      };
      const id = await identityAfterSignIn();
      if (id !== undefined) {
        expect(id).toBe(sent.sub);
        expect([sent.iss, sent.nonce, sent.azp]).toEqual([valid.iss, valid.nonce, valid.azp]);
        expect([sent.aud].flat()).toContain(service.clientID);
        expect(Number(sent.exp)).toBeGreaterThan(service.now - 60);
        expect(Number(sent.iat)).toBeLessThanOrEqual(service.now + 60);
      }
      restore();
    },
    { runs: 30 },
  );
});

function parsed(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return text.toString();
  }
}

describe('a response of the resource API', () => {
  let agent: ReturnType<typeof supertest.agent> | undefined;
  async function call(name: string): Promise<string> {
    advance(1);
    agent ??= (await hostile.signIn(site())).agent;
    const { status, body } = await agent.get(`/call/${name}`);
    expect(status).toBe(200);
    expectTyped(body.code);
    return body.code;
  }

  const profileNames = [...Object.keys(PROFILE), 'last_name', 'hospitals', 'specialty_details', 'profile_photo'];
  const page = () => ({ items: [{ id: 2 }], current_page: 1 });
  const limits = () => ({ limit: 5000, remaining: 4000, reset: service.now + 100 });
  for (const [name, path, names, members] of [
    ['profile', PATHS.profile, profileNames, () => PROFILE],
    ['colleagues', PATHS.colleagues, ['items', 'current_page', 'total_pages', 'total_entries'], page],
    ['rateLimit', PATHS.rateLimit, ['limit', 'remaining', 'reset'], limits],
  ] as const) {
    testProperty(
      `that is altered causes a typed error of ${name}(), or none`,
      alterations(names),
      async (alter) => {
        respond(path, alter, members);
        await call(name);
      },
      { runs: 40 },
    );
  }
});

describe('rate-limit headers', () => {
  const now = 1_800_000_000_000;
  const clock = { now: () => now };
  const value = fc.oneof(
    headerText.map((text) => text.trim()),
    fc.integer().map(String),
    fc.bigInt().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.constantFrom('9'.repeat(5_000), '-1', '1e9', '0x10', ' ', 'Infinity', 'NaN'),
  );
  const headers = fc
    .record(
      {
        'retry-after': value,
        'x-rate-limit-limit': value,
        'x-rate-limit-remaining': value,
        'x-rate-limit-reset': value,
      },
      { requiredKeys: [] },
    )
    .map((record) => new Headers(record as Record<string, string>));

  testProperty(
    'give a time between now and one hour from now',
    headers,
    (input) => {
      const wait = new RateBudget(clock).stop(input) - now;
      expect(wait).toBeGreaterThanOrEqual(1_000);
      expect(wait).toBeLessThanOrEqual(3_600_000);
      const limit = rateLimitIn(input, clock);
      if (limit === undefined) return;
      expect(limit.remaining).toBeLessThanOrEqual(limit.limit);
      expect(limit.remaining).toBeGreaterThanOrEqual(0);
      expect(limit.resetAt - now).toBeLessThanOrEqual(3_600_000);
      expect(limit.resetAt).toBeGreaterThanOrEqual(now);
    },
    { runs: 200 },
  );
});
