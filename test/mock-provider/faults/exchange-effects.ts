import { expect } from '@jest/globals';
import type { FaultName, RecordedRequest } from '../../../lib/mock-provider/mock-provider.js';
import { basic, codeFields, codeOf, encode, profile, redeem, refresh, type WireResponse } from '../wire.js';
import { type Effect, isJSON, login, orStatusZero, type Parties, redeemCode, SCOPE } from './effect.js';

const DELAY_MS = 100;
const SHORT_MS = 50;

function atToken(isWrong: (response: WireResponse) => boolean): Effect {
  return {
    async isFaulty(parties) {
      const response = await redeemCode(parties);
      if (isWrong(response)) return true;
      expect([response.status, response.json.token_type]).toEqual([200, 'bearer']);
      return false;
    },
  };
}

/** True when no fault applies to a retry. */
const hasNoFault = ({ provider }: Pick<Parties, 'provider'>) => provider.faults.queued.length === 0;

/** The first request fails and does not use the code: the second succeeds. */
function keepsCode(isWrong: (response: WireResponse) => boolean): Effect {
  return {
    async isFaulty(parties) {
      const code = await codeOf(parties.provider, parties.client, { scope: SCOPE });
      const first = await orStatusZero(redeem(parties.provider, parties.client, code));
      if (!isWrong(first)) {
        expect(first.status).toBe(200);
        return false;
      }
      if (hasNoFault(parties)) expect((await redeem(parties.provider, parties.client, code)).status).toBe(200);
      return true;
    },
  };
}

async function durationOf(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** True when the newest recorded request at a path has a fault. */
const isFaultRecorded = ({ provider }: Parties, path: string) =>
  provider.requests.findLast((request) => request.path === path)?.fault !== undefined;

async function getsNoResponse(parties: Parties): Promise<boolean> {
  const { provider, client } = parties;
  const code = await codeOf(provider, client, { scope: SCOPE });
  const number = provider.requests.length;
  const body = encode(codeFields(client, code));
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(client) };
  const abort = new AbortController();
  const outcome = fetch(`${provider.issuer}/oauth/token`, { method: 'POST', headers, body, signal: abort.signal })
    .then(async (response) => (await response.text()) && response.status)
    .catch((error: Error) => error.name);
  const isLater = (request: RecordedRequest) => request.path === '/oauth/token' && request.number > number;
  await provider.requests.waitFor(isLater, { timeout: '1 minute' });
  if (!isFaultRecorded(parties, '/oauth/token')) {
    expect(await outcome).toBe(200);
    return false;
  }
  const waiting = new Promise((resolve) => setTimeout(resolve, SHORT_MS, 'still waiting'));
  expect(await Promise.race([outcome, waiting])).toBe('still waiting');
  abort.abort();
  expect(await outcome).toBe('AbortError');
  return true;
}

/** Measures the delay only where a fault applied: a busy machine delays other responses too. */
async function isLate(parties: Parties, path: string, act: () => Promise<unknown>): Promise<boolean> {
  const milliseconds = await durationOf(act);
  const hasFault = isFaultRecorded(parties, path);
  if (hasFault) expect(milliseconds).toBeGreaterThanOrEqual(DELAY_MS - 1);
  return hasFault;
}

const failures: Partial<Record<FaultName, Effect>> = {
  reset: keepsCode(({ status }) => status === 0),
  noResponse: { isFaulty: getsNoResponse },
  serverError: keepsCode(({ status, json }) => status === 500 && json === undefined),
  unavailable: keepsCode(({ status, json }) => status === 503 && json.error === 'temporarily_unavailable'),
  errorWithSuccess: keepsCode(({ status, json }) => status === 200 && json.error === 'server_error'),
  unexpectedRedirect: {
    async isFaulty(parties) {
      const code = await codeOf(parties.provider, parties.client, { scope: SCOPE });
      const { status, location } = await redeem(parties.provider, parties.client, code);
      return status === 307 && location.href === `${parties.provider.issuer}/oauth/token`;
    },
  },
  rateLimited: {
    async isFaulty({ provider, client }) {
      const { access_token } = await login({ provider, client });
      provider.clock.freeze();
      const { status, headers } = await profile(provider, access_token);
      const now = provider.clock.now();
      provider.clock.resume();
      if (status === 200) return false;
      expect(Number(headers.get('x-rate-limit-reset'))).toBe(Math.ceil(now / 1000 + 3600));
      return status === 429 && headers.get('retry-after') === '3600' && headers.get('x-rate-limit-remaining') === '0';
    },
  },
  codeRefused: keepsCode(({ status, json }) => status === 400 && json.error === 'invalid_grant'),
  refreshRefused: {
    async isFaulty(parties) {
      const { refresh_token } = await login(parties);
      const { status, json } = await refresh(parties.provider, parties.client, refresh_token);
      return status === 400 && json.error === 'invalid_grant';
    },
  },
  accessTokenRefused: {
    async isFaulty({ provider, client }) {
      const { access_token } = await login({ provider, client });
      const { status, headers } = await profile(provider, access_token);
      return status === 401 && /error="invalid_token"/.test(headers.get('www-authenticate') ?? '');
    },
  },
};

const responses: Partial<Record<FaultName, Effect>> = {
  delay: {
    options: { delay: DELAY_MS },
    isFaulty: (parties) => isLate(parties, '/oauth/token', () => redeemCode(parties)),
  },
  responseLost: {
    async isFaulty({ provider, client }) {
      const code = await codeOf(provider, client, { scope: SCOPE });
      if ((await orStatusZero(redeem(provider, client, code))).status === 200) return false;
      if (hasNoFault({ provider })) expect((await redeem(provider, client, code)).json.error).toBe('invalid_grant');
      return true;
    },
  },
  malformedJSON: atToken(({ status, text }) => status === 200 && !isJSON(text) && text.endsWith('}')),
  truncatedResponse: atToken(({ status }) => status === 0),
  stalledResponse: { isFaulty: getsNoResponse },
  nullResponse: atToken(({ status, text }) => status === 200 && text === 'null'),
  repeatedMembers: atToken(({ text }) => text.split('"access_token":').length === 3 && isJSON(text)),
  pollutedJSON: atToken(({ text }) => text.startsWith('{"__proto__":') && isJSON(text)),
  htmlInsteadOfJSON: atToken(
    ({ text, headers }) => text.startsWith('<') && headers.get('content-type') === 'text/html',
  ),
  wrongContentType: atToken(({ text, headers }) => headers.get('content-type') === 'text/plain' && isJSON(text)),
  oversizedBody: atToken(({ text }) => text.length > 1_000_000 && isJSON(text)),
};

export const EXCHANGE_EFFECTS: Partial<Record<FaultName, Effect>> = { ...failures, ...responses };
