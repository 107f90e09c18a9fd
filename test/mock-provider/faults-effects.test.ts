import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  FAULTS,
  type FaultName,
  type MockProvider,
  type RegisteredClient,
  startMockProvider,
} from '../../lib/mock-provider/mock-provider.js';
import { ANSWER_EFFECTS } from './fault-effects/answers.js';
import { DOCUMENT_EFFECTS } from './fault-effects/documents.js';
import { type Effect, SCOPE } from './fault-effects/effect.js';
import { ID_TOKEN_EFFECTS } from './fault-effects/id-tokens.js';
import { REDIRECT_EFFECTS } from './fault-effects/redirects.js';
import { strict } from './wire.js';

const EFFECTS: Partial<Record<FaultName, Effect>> = {
  ...ID_TOKEN_EFFECTS,
  ...REDIRECT_EFFECTS,
  ...DOCUMENT_EFFECTS,
  ...ANSWER_EFFECTS,
};
const NAMES = Object.keys(FAULTS) as FaultName[];

let provider: MockProvider;
let client: RegisteredClient;
let other: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider({ issParameter: true });
  client = strict(provider, 'openid', { scope: SCOPE });
  other = strict(provider, 'openid', { scope: SCOPE });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

test('the effect of each fault is looked at here', () => {
  expect(Object.keys(EFFECTS).sort()).toEqual([...NAMES].sort());
});

describe.each(NAMES)('%s', (name) => {
  const { seen, options = {} } = EFFECTS[name] as Effect;
  const look = (by: RegisteredClient = client) => seen({ provider, client: by });

  test('is seen on the wire once, and the exchange before and the one after go well', async () => {
    expect(await look()).toBe(false);
    provider.faults.next(name, options);
    expect(await look()).toBe(true);
    expect(provider.faults.queued).toEqual([]);
    expect(provider.requests.filter(({ fault }) => fault === name)).toHaveLength(1);
    expect(await look()).toBe(false);
  });

  test('strikes the second time when it is told so', async () => {
    provider.faults.next(name, { ...options, nth: 2 });
    expect([await look(), await look(), await look()]).toEqual([false, true, false]);
  });

  test('strikes always when it is told so, until reset()', async () => {
    provider.faults.always(name, options);
    expect([await look(), await look()]).toEqual([true, true]);
    provider.reset();
    expect(await look()).toBe(false);
  });

  test('strikes one client alone, where the client is known', async () => {
    const forOther = { ...options, client: other.clientID };
    if (!FAULTS[name].options.includes('client')) {
      expect(() => provider.faults.next(name, forOther)).toThrow('requests there do not identify the client');
      return;
    }
    provider.faults.next(name, forOther);
    expect([await look(), await look(other), await look(other)]).toEqual([false, true, false]);
  });
});
