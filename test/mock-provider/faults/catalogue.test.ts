import { describe, expect, test } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';

test('the types accept only known names of faults and options, and any name of a clinician', async () => {
  const isClosed: string extends FaultName ? false : true = true;
  expect(isClosed).toBe(true);
  // @ts-expect-error not a fault
  expect(() => provider.faults.next('wrongIsuer')).toThrow('There is no fault');
  // @ts-expect-error not an option
  expect(() => provider.faults.next('delay', { ms: 5 })).toThrow('has no option "ms"');
  await expect(provider.signIn('', { as: 'another-name' })).rejects.toThrow('There is no clinician');
  // @ts-expect-error without a clinician
  await expect(provider.signIn('', {})).rejects.toThrow();
});

describe('the queue', () => {
  test('queued lists faults by name with their options', () => {
    provider.faults.next('wrongIssuer', { grantType: 'refresh_token' });
    provider.faults.always('delay', { delay: 5, endpoint: '/oauth/userinfo' });
    expect(provider.faults.queued).toEqual([
      { name: 'wrongIssuer', options: { grantType: 'refresh_token' }, once: true },
      { name: 'delay', options: { delay: 5, endpoint: '/oauth/userinfo' }, once: false },
    ]);
  });

  test('callers cannot change the queue through options or results; clear() and reset() empty it', () => {
    const options = { delay: 2 };
    provider.faults.next('delay', options);
    options.delay = 5;
    Object.assign(provider.faults.queued[0]?.options ?? {}, { delay: 5 });
    (provider.faults.queued as unknown[]).pop();
    expect(provider.faults.queued).toMatchObject([{ name: 'delay', options: { delay: 2 } }]);
    provider.faults.clear();
    expect(provider.faults.queued).toEqual([]);
    provider.faults.next('wrongIssuer');
    provider.reset();
    expect(provider.faults.queued).toEqual([]);
  });
});

test.each<[string, unknown, string]>([
  ['wrongIsuer', {}, 'There is no fault "wrongIsuer". Did you mean wrongIssuer?'],
  ['delay', { deley: 5 }, 'The fault delay has no option "deley". Did you mean delay?'],
  ['delay', { endpoint: '/oauth/tokens' }, 'endpoint must be a path of the provider, not "/oauth/tokens".'],
  ['delay', { delay: 'soon' }, "delay must be a duration such as '30 minutes', '1h 30m' or a number of milliseconds"],
  ['wrongIssuer', { endpoint: '/oauth/userinfo' }, 'endpoint must be /oauth/token, not "/oauth/userinfo".'],
  ['delay', { endpoint: '/.well-known/jwks.json', client: 'app' }, 'requests there do not identify the client'],
  ['delay', { endpoint: '/oauth/userinfo', grantType: 'refresh_token' }, 'only /oauth/token has one. Leave out grantT'],
  ['delay', { client: 'unknown' }, 'The fault delay: there is no client "unknown". Register it first.'],
  ['missingIssParameter', {}, 'issParameter: true'],
  ['delay', 5, 'The fault delay must be called with an object of options such as { delay: 2000 }, not 5.'],
])('the fault %s with the options %j throws a TypeError with the fix', (name, options, message) => {
  for (const method of ['next', 'always'] as const) {
    const call = () => provider.faults[method](name as FaultName, options as object);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  }
  expect(provider.faults.queued).toEqual([]);
});
