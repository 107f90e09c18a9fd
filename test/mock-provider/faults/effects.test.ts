import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFINITIONS, FAULT_NAMES } from '../../../lib/mock-provider/faults/catalogue.js';
import {
  FAULTS,
  type FaultName,
  type MockProvider,
  type RegisteredClient,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import { registerStrict, signIn } from '../wire.js';
import { CONTENT_EFFECTS } from './content-effects.js';
import { type Effect, SCOPE } from './effect.js';
import { EXCHANGE_EFFECTS } from './exchange-effects.js';
import { ID_TOKEN_EFFECTS } from './id-token-effects.js';
import { REDIRECT_EFFECTS } from './redirect-effects.js';

const EFFECTS: Partial<Record<FaultName, Effect>> = {
  ...ID_TOKEN_EFFECTS,
  ...REDIRECT_EFFECTS,
  ...CONTENT_EFFECTS,
  ...EXCHANGE_EFFECTS,
};
const NAMES = Object.keys(EFFECTS) as FaultName[];

/** The first fault of each kind at the same endpoints: how often and to which client a fault applies does not depend on more. */
const FIRST_OF_KIND = new Set(
  new Map(NAMES.toReversed().map((name) => [`${FAULTS[name].kind} ${FAULTS[name].endpoints}`, name])).values(),
);

let provider: MockProvider;
let client: RegisteredClient;
let other: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider({ issParameter: true });
  client = registerStrict(provider, 'openid', { scope: SCOPE });
  other = registerStrict(provider, 'openid', { scope: SCOPE });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

test('each fault has a test of its effect, unless it only removes or sets members', () => {
  const setsMembers = (name: FaultName) => 'remove' in DEFINITIONS[name] || 'set' in DEFINITIONS[name];
  const missing = FAULT_NAMES.filter((name) => !(name in EFFECTS) && !setsMembers(name));
  expect(missing.map((name) => `fault ${name} has no entry in test/mock-provider/faults/*-effects.ts`)).toEqual([]);
});

describe.each(NAMES)('%s', (name) => {
  const { isFaulty, options = {} } = EFFECTS[name] as Effect;
  const exchange = (by: RegisteredClient = client) => isFaulty({ provider, client: by });

  test('next() applies to one exchange; the one after it succeeds', async () => {
    provider.faults.next(name, options);
    expect(await exchange()).toBe(true);
    expect(provider.faults.queued).toEqual([]);
    expect(provider.requests.filter(({ fault }) => fault === name)).toHaveLength(1);
    expect(await exchange()).toBe(false);
  });

  if (!FIRST_OF_KIND.has(name)) return;

  test('always() applies to each exchange until reset()', async () => {
    provider.faults.always(name, options);
    expect([await exchange(), await exchange()]).toEqual([true, true]);
    provider.reset();
    expect(await exchange()).toBe(false);
  });

  test('client limits it to one client, or is refused where requests do not identify the client', async () => {
    const forOther = { ...options, client: other.clientID };
    if (!FAULTS[name].options.includes('client')) {
      expect(() => provider.faults.next(name, forOther)).toThrow('requests there do not identify the client');
      return;
    }
    provider.faults.next(name, forOther);
    expect([await exchange(), await exchange(other)]).toEqual([false, true]);
  });
});

test('repeatedParameters repeats only the parameters that the provider sends', async () => {
  const withoutIss = await startMockProvider();
  try {
    withoutIss.faults.next('repeatedParameters');
    const { searchParams } = await signIn(withoutIss, registerStrict(withoutIss, 'openid', { scope: SCOPE }));
    expect([...searchParams.keys()].sort()).toEqual([
      'code',
      'code',
      'session_state',
      'session_state',
      'state',
      'state',
    ]);
  } finally {
    await withoutIss.stop();
  }
});
