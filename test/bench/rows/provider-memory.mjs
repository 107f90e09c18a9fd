import { underLoad } from '../runner.mjs';

const PAIRS = 20_000;
/** After these, what the provider stores about the newest requests has its full size. */
const WARM_UP = 8_000;
const script = { file: './provider.mjs', name: 'signIn' };

/** @param options those of the script. Each sign-in has one pair of tokens */
function bytesPerPair(options) {
  const load = (count) => underLoad({ script, count, ...options });
  return async function measure(context) {
    await load(WARM_UP)(context);
    const before = await context.target.call('memory');
    await load(PAIRS)(context);
    return { bytes: ((await context.target.call('memory')) - before) / PAIRS };
  };
}

const settings = { isFresh: true, rounds: 3 };
const mock = { file: 'targets/mock.mjs', options: { flow: 'profile', scope: 'basic colleagues' } };

export default [
  {
    ...settings,
    name: 'memory',
    title: 'Mock provider: memory of a live token pair, each with its own authorization',
    targets: {
      'mock provider': mock,
      'oidc-provider': { file: 'targets/oidc-provider.mjs', options: { scope: 'basic colleagues' } },
    },
    // The next grant of a session shares the authorization of the last one, unless its scope differs.
    measure: bytesPerPair({ everySecond: { scope: 'basic' } }),
    goals: [{ metric: 'bytes', max: 500 }],
  },
  {
    ...settings,
    name: 'memory-shared',
    title: 'Mock provider: memory of a live token pair, all with the same authorization',
    targets: { 'mock provider': mock },
    measure: bytesPerPair({}),
    goals: [{ metric: 'bytes', max: 300 }],
  },
];
