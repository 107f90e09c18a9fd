import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { basic, codeFields, codeOf, encode, post, profile, redeem, refresh, type Wired } from '../wire.js';
import { document, type Effect, gone, login, parses, redeemed, SCOPE, type Scene } from './effect.js';

const LATE = 100;
const SHORT = 50;

function atToken(isWrong: (answer: Wired) => boolean, options?: Effect['options']): Effect {
  return {
    ...(options && { options }),
    async seen(scene) {
      const answer = await redeemed(scene);
      if (isWrong(answer)) return true;
      expect([answer.status, answer.json.token_type]).toEqual([200, 'bearer']);
      return false;
    },
  };
}

/** True when nothing stands in the way of another try. */
const isSpent = ({ provider }: Pick<Scene, 'provider'>) => provider.faults.queued.length === 0;

/** The first try goes wrong and uses nothing up: the second succeeds. */
function harmless(isWrong: (answer: Wired) => boolean, options?: Effect['options']): Effect {
  return {
    ...(options && { options }),
    async seen(scene) {
      const code = await codeOf(scene.provider, scene.client, { scope: SCOPE });
      const first = await gone(redeem(scene.provider, scene.client, code));
      if (!isWrong(first)) {
        expect(first.status).toBe(200);
        return false;
      }
      if (isSpent(scene)) expect((await redeem(scene.provider, scene.client, code)).status).toBe(200);
      return true;
    },
  };
}

async function took(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

const keys = (scene: Scene) => document(scene, '/.well-known/jwks.json');

/** What the record says of the newest request at a path. */
const struckAt = ({ provider }: Scene, path: string) =>
  provider.requests.findLast((request) => request.path === path)?.fault !== undefined;

async function withoutAnswer(scene: Scene): Promise<boolean> {
  const { provider, client } = scene;
  const code = await codeOf(provider, client, { scope: SCOPE });
  const number = provider.requests.length;
  const body = encode(codeFields(client, code));
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(client) };
  const patience = new AbortController();
  const given = fetch(`${provider.issuer}/oauth/token`, { method: 'POST', headers, body, signal: patience.signal })
    .then(async (response) => (await response.text()) && response.status)
    .catch((error: Error) => error.name);
  await provider.requests.waitFor((request) => request.path === '/oauth/token' && request.number > number);
  if (!struckAt(scene, '/oauth/token')) {
    expect(await given).toBe(200);
    return false;
  }
  const waiting = new Promise((resolve) => setTimeout(resolve, SHORT, 'still waiting'));
  expect(await Promise.race([given, waiting])).toBe('still waiting');
  patience.abort();
  expect(await given).toBe('AbortError');
  return true;
}

/** How long it took says nothing where no fault struck: the machine may be busy. */
async function late(scene: Scene, path: string, act: () => Promise<unknown>): Promise<boolean> {
  const milliseconds = await took(act);
  const hasStruck = struckAt(scene, path);
  if (hasStruck) expect(milliseconds).toBeGreaterThanOrEqual(LATE - 1);
  return hasStruck;
}

const down: Partial<Record<FaultName, Effect>> = {
  reset: harmless(({ status }) => status === 0),
  noResponse: { seen: withoutAnswer },
  serverError: harmless(({ status, json }) => status === 502 && json === undefined, { status: 502 }),
  unavailable: harmless(({ status, json }) => status === 503 && json.error === 'temporarily_unavailable'),
  errorWithSuccess: harmless(({ status, json }) => status === 200 && json.error === 'server_error'),
  redirectInsteadOfAnswer: {
    async seen(scene) {
      const code = await codeOf(scene.provider, scene.client, { scope: SCOPE });
      const { status, location } = await redeem(scene.provider, scene.client, code);
      return status === 307 && location.href === `${scene.provider.issuer}/oauth/token`;
    },
  },
  rateLimited: {
    options: { window: '90 seconds' },
    async seen({ provider, client }) {
      const { access_token } = await login({ provider, client });
      const { status, headers } = await profile(provider, access_token);
      if (status === 200) return false;
      const reset = Number(headers.get('x-rate-limit-reset')) - provider.clock.now() / 1000;
      expect([reset > 85, reset < 95]).toEqual([true, true]);
      return status === 429 && headers.get('retry-after') === '90' && headers.get('x-rate-limit-remaining') === '0';
    },
  },
  keysDown: { seen: async (scene) => (await keys(scene)).status === 503 },
  revocationFails: {
    async seen({ provider, client }) {
      const { access_token } = await login({ provider, client });
      const { status } = await post(provider, '/oauth/revoke', client, { token: access_token });
      expect((await profile(provider, access_token)).status).toBe(status === 200 ? 401 : 200);
      return status === 503;
    },
  },
  codeRefused: harmless(({ status, json }) => status === 400 && json.error === 'invalid_grant'),
  refreshRefused: {
    async seen(scene) {
      const { refresh_token } = await login(scene);
      const { status, json } = await refresh(scene.provider, scene.client, refresh_token);
      return status === 400 && json.error === 'invalid_grant';
    },
  },
  accessTokenRefused: {
    async seen({ provider, client }) {
      const { access_token } = await login({ provider, client });
      const { status, headers } = await profile(provider, access_token);
      return status === 401 && /error="invalid_token"/.test(headers.get('www-authenticate') ?? '');
    },
  },
};

const answers: Partial<Record<FaultName, Effect>> = {
  delay: {
    options: { delay: LATE },
    seen: (scene) => late(scene, '/oauth/token', () => redeemed(scene)),
  },
  slowKeys: {
    options: { delay: LATE },
    seen: (scene) => late(scene, '/.well-known/jwks.json', () => keys(scene)),
  },
  responseLost: {
    async seen({ provider, client }) {
      const code = await codeOf(provider, client, { scope: SCOPE });
      if ((await gone(redeem(provider, client, code))).status === 200) return false;
      if (isSpent({ provider })) expect((await redeem(provider, client, code)).json.error).toBe('invalid_grant');
      return true;
    },
  },
  refreshLost: {
    async seen({ provider, client }) {
      const { refresh_token } = await login({ provider, client });
      if ((await gone(refresh(provider, client, refresh_token))).status === 200) return false;
      if (isSpent({ provider })) {
        expect((await refresh(provider, client, refresh_token)).json.error).toBe('invalid_grant');
      }
      return true;
    },
  },
  malformedJSON: atToken(({ status, text }) => status === 200 && !parses(text) && text.endsWith('}')),
  truncatedJSON: atToken(
    ({ status, text }) => status === 200 && !parses(text) && text.startsWith('{') && !text.endsWith('}'),
  ),
  truncatedAnswer: atToken(({ status }) => status === 0),
  stalledAnswer: { seen: withoutAnswer },
  nullAnswer: atToken(({ status, text }) => status === 200 && text === 'null'),
  repeatedMembers: atToken(({ text }) => text.split('"access_token":').length === 3 && parses(text)),
  pollutedJSON: atToken(({ text }) => text.startsWith('{"__proto__":') && parses(text)),
  htmlInsteadOfJSON: atToken(
    ({ text, headers }) => text.startsWith('<') && headers.get('content-type') === 'text/html',
  ),
  wrongContentType: atToken(({ text, headers }) => headers.get('content-type') === 'text/plain' && parses(text)),
  oversizedBody: atToken(({ text }) => text.length > 1_000_000 && parses(text)),
  emptyBody: atToken(({ status, text }) => status === 200 && text === ''),
};

export const ANSWER_EFFECTS: Partial<Record<FaultName, Effect>> = { ...down, ...answers };
