import { expect, test } from '@jest/globals';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { clinicianOptions } from '../../../lib/mock-provider/options/clinician-options.js';
import { PERSONAS } from '../../../lib/mock-provider/options/personas.js';
import { resolveOptions } from '../../../lib/mock-provider/options/resolve-provider-options.js';
import { validate } from '../../../lib/mock-provider/options/validate.js';

test.each<[object, string]>([
  [{ prot: 1 }, 'startMockProvider() has no option "prot". Did you mean port?'],
  [{ port: 70_000 }, 'port must be a whole number from 0 to 65535, not 70000.'],
  [{ spelling: 'camel' }, "spelling must be 'sample', 'list' or 'both', not \"camel\"."],
  [{ verification: 'instent' }, 'not "instent". Did you mean instant?'],
  [{ rateLimit: { limit: -1 } }, 'rateLimit.limit must be a whole number, 0 or more, not -1.'],
  [{ lifetimes: { refreshToken: 0 } }, 'lifetimes.refreshToken must be longer than 0 milliseconds'],
  [{ lifetimes: { code: '1 hour' } }, '10 minutes at most (RFC 6749 section 4.1.2), not "1 hour".'],
  [{ lifetimes: { accessToken: 'soon' } }, "lifetimes.accessToken must be a duration such as '30 minutes'"],
  [{ issParameter: 'yes' }, 'issParameter must be true or false, not a string.'],
  ...['0.0.0.0', 'auth.example', '::'].map<[object, string]>((host) => [
    { host },
    'host must be 127.0.0.1, localhost or ::1 with plain http',
  ]),
  ...['nonsense', 'http://auth.example', 'https://auth.example/', 'https://auth.example/a;b'].map<[object, string]>(
    (publicURL) => [{ publicURL }, 'publicURL must be an https address'],
  ),
  [{ colour: 3 }, 'startMockProvider() has no option "colour". The options are: port, host, https,'],
  [JSON.parse('{ "__proto__": 1 }'), 'startMockProvider() has no option "__proto__".'],
  [{ clinicians: [{ username: 'a' }, { username: [] }] }, 'clinicians[1].username must be a string that is not empty'],
  [{ clients: [{ flow: 'openid' }] }, 'clients[0] needs the option "redirectURIs"'],
  [{ clinicians: [{ username: 'verified' }] }, 'There is already a clinician "verified"'],
  [{ clinicians: ['a', 'b'].map((username) => ({ username, id: 7 })) }, 'There is already a clinician with id 7.'],
  [{ clinicians: ['a', 'b'].map((username) => ({ username, sub: 's' })) }, 'a clinician with sub "s". Choose another'],
  [
    { clinicians: [{ username: 'a' }, { username: 'b', verified: true, verifiedAfter: 5 }] },
    'A clinician has both verified and verifiedAfter. Remove one of them.',
  ],
])('%j rejects with a message that names the option', async (options, message) => {
  const error = await startMockProvider(options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
});

test('options that are no object, and a long value, have a short message', async () => {
  await expect(startMockProvider(null as never)).rejects.toThrow('startMockProvider() must be an object, not null.');
  const error = await startMockProvider({ spelling: 'x'.repeat(5000) as never }).catch((reason: Error) => reason);
  expect((error as Error).message.length).toBeLessThan(250);
});

test('an option that is undefined has its default', () => {
  const { spelling, lifetimes } = resolveOptions({ spelling: undefined, lifetimes: { code: undefined } } as object);
  expect([spelling, lifetimes.code]).toEqual(['sample', 300_000]);
});

test('the personas are valid, so a provider does not validate them', () => {
  for (const persona of PERSONAS) expect(() => validate(clinicianOptions, persona, persona.username)).not.toThrow();
});
