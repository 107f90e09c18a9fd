import { describe, expect, test } from '@jest/globals';
import { FAULTS, type FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';

const entries = Object.entries(FAULTS);

test('each fault has a one-line description, a source and an endpoint', () => {
  for (const [name, { description, source, endpoint, endpoints, options }] of entries) {
    expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Za-z_][^\n]+\.$/)]);
    expect([name, source]).toEqual([name, expect.stringMatching(/^(RFC \d{4}|OpenID Connect|Service spec)/)]);
    expect([name, endpoints.length]).not.toEqual([name, 0]);
    expect(['*', ...endpoints]).toContain(endpoint);
    expect(options).toEqual(expect.arrayContaining(['endpoint']));
  }
});

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

describe('an invalid name or option throws a TypeError with the fix', () => {
  test.each<[string, string, unknown, string]>([
    ['a misspelled name', 'wrongIsuer', {}, 'There is no fault "wrongIsuer". Did you mean wrongIssuer?'],
    ['a misspelled option', 'delay', { deley: 5 }, 'The fault delay has no option "deley". Did you mean delay?'],
    [
      'a misspelled endpoint',
      'delay',
      { endpoint: '/oauth/tokens' },
      'endpoint must be a path of the provider, not "/oauth/tokens". Did you mean /oauth/token?',
    ],
    [
      'text that is not a duration',
      'delay',
      { delay: 'soon' },
      "delay must be a duration such as '30 minutes', '1h 30m' or a number of milliseconds, not \"soon\".",
    ],
    [
      'an endpoint where the fault does not apply',
      'wrongIssuer',
      { endpoint: '/oauth/userinfo' },
      'endpoint must be /oauth/token, not "/oauth/userinfo".',
    ],
    [
      'a client at an endpoint that does not identify it',
      'delay',
      { endpoint: '/.well-known/jwks.json', client: 'app' },
      'The fault delay cannot be limited to a client at /.well-known/jwks.json: requests there do not identify the client. Leave out client.',
    ],
    [
      'a grant type at another endpoint',
      'delay',
      { endpoint: '/oauth/userinfo', grantType: 'refresh_token' },
      'The fault delay cannot be limited to a grant type at /oauth/userinfo: only /oauth/token has one. Leave out grantType.',
    ],
    [
      'options that are not an object',
      'delay',
      5,
      'The fault delay must be called with an object of options such as { delay: 2000 }, not 5.',
    ],
  ])('%s', (_title, name, options, message) => {
    for (const method of ['next', 'always'] as const) {
      expect(() => provider.faults[method](name as FaultName, options as object)).toThrow(new TypeError(message));
    }
    expect(provider.faults.queued).toEqual([]);
  });
});
