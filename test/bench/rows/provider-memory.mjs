import { underLoad } from '../runner.mjs';

const PAIRS = 20_000;
/** After these, what the provider stores about the newest requests has its full size. */
const WARM_UP = 8_000;
// The next grant of a session shares the authorization of the last one, unless its scope differs.
const signIns = { script: { file: './provider.mjs', name: 'signIn' }, everySecond: { scope: 'basic' } };
const scope = 'basic colleagues';

/** Each sign-in has one pair of tokens. */
async function measureBytesPerPair(context) {
  await underLoad({ ...signIns, count: WARM_UP })(context);
  const before = await context.target.call('memory');
  await underLoad({ ...signIns, count: PAIRS })(context);
  return ((await context.target.call('memory')) - before) / PAIRS;
}

export default {
  name: 'memory',
  title: 'mock provider: a live token pair',
  unit: 'bytes',
  isFresh: true,
  rounds: 3,
  targets: {
    'mock provider': { file: 'targets/mock.mjs', options: { flow: 'profile', scope } },
    'oidc-provider': { file: 'targets/oidc-provider.mjs', options: { scope } },
  },
  measure: measureBytesPerPair,
  goals: { 'oidc-provider': 0.38 },
};
