import { underLoad } from '../runner.mjs';

const PAIRS = 20_000;
/** After these, what the provider stores about the newest requests has its full size. */
const WARM_UP = 8_000;

const load = (count) => underLoad({ script: { file: './provider.mjs', name: 'signIn' }, count });

/** Each sign-in has its own authorization and one pair of tokens. */
async function measure(context) {
  await load(WARM_UP)(context);
  const before = await context.target.call('memory');
  await load(PAIRS)(context);
  return { bytes: ((await context.target.call('memory')) - before) / PAIRS };
}

export default {
  name: 'memory',
  title: 'Mock provider: memory of a live token pair, each with its own authorization',
  isFresh: true,
  rounds: 3,
  targets: {
    'mock provider': { file: 'targets/mock.mjs', options: { flow: 'profile', scope: 'basic' } },
    'oidc-provider': { file: 'targets/oidc-provider.mjs' },
  },
  measure,
  goals: [{ metric: 'bytes', max: 500 }],
};
