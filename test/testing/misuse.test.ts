import { describe, expect, test } from '@jest/globals';
import { isClinicianError } from 'passport-clinician';
import { signIn, signOut, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest/index.js';
import { provider } from '../helpers/provider.js';
import { site } from './sites.js';

// biome-ignore lint/suspicious/noExplicitAny: wrong arguments of every type
type AnyFunction = (...args: any[]) => Promise<unknown>;

async function errorOf(run: () => Promise<unknown>): Promise<[code: string, message: string]> {
  try {
    await run();
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    return [error.code, error.message];
  }
  throw new Error('the call was accepted');
}

describe.each<[string, AnyFunction]>([
  ['signIn()', signIn],
  ['signOut()', signOut],
])('%s', (name, call) => {
  test.each<[string, () => unknown]>([
    ['the Express application', () => site(provider)],
    ['request(app)', () => request(site(provider))],
    ['nothing', () => undefined],
  ])('with %s says what to pass', async (_name, agent) => {
    expect(await errorOf(() => call(agent(), provider, { as: 'verified' }))).toEqual([
      'argument_invalid',
      `passport-clinician: ${name} needs an agent of supertest, which stores cookies, as its first argument: request.agent(app), where request is the package 'supertest'.`,
    ]);
  });

  test('without the provider says what to pass', async () => {
    const agent = request.agent(site(provider));
    for (const wrong of [undefined, { as: 'verified' }, provider.issuer]) {
      expect(await errorOf(() => call(agent, wrong, { as: 'verified' }))).toEqual([
        'argument_invalid',
        `passport-clinician: ${name} needs the mock provider as its second argument. Pass the provider that the site is configured with.`,
      ]);
    }
  });
});

test('signIn() without a clinician says what to pass', async () => {
  const agent = request.agent(site(provider));
  const call = signIn as AnyFunction;
  expect(await errorOf(() => call(agent, provider))).toEqual([
    'option_invalid',
    'passport-clinician: signIn(): the options are missing. Pass an object with at least as.',
  ]);
  expect(await errorOf(() => call(agent, provider, {}))).toEqual([
    'option_invalid',
    "passport-clinician: signIn(): option 'as' is missing. Pass the username of a clinician: { as: 'verified' }.",
  ]);
  await expect(call(agent, provider, { as: 'verifed' })).rejects.toThrow(
    'There is no clinician "verifed". Did you mean verified?',
  );
});

describe('withMockProvider()', () => {
  const call = withMockProvider as AnyFunction;
  const use = () => 'used';
  const order =
    'passport-clinician: withMockProvider() needs a function that receives the provider. Pass it as the last argument, after the options.';

  test.each<[string, unknown[], string]>([
    ['nothing', [], order],
    ['only options', [{ port: 0 }], order],
    ['the options after the function', [use, { port: 0 }], order],
    ['a promise of the result', [Promise.resolve()], order],
  ])('with %s says what to pass', async (_name, args, message) => {
    expect(await errorOf(() => call(...args))).toEqual(['argument_invalid', message]);
  });

  test('with a provider that is started says what to pass', async () => {
    expect(await errorOf(() => call(provider, use))).toEqual([
      'argument_invalid',
      'passport-clinician: withMockProvider() starts its own provider. Pass its options, or none, instead of a provider that is started.',
    ]);
  });
});
