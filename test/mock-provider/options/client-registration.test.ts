import { describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { takePrinted } from '../../helpers/printed.js';
import { provider } from '../../helpers/provider.js';
import { authorizeURL } from '../wire.js';

const REDIRECT_URI = 'http://127.0.0.1:5001/callback';
const good = { flow: 'openid', redirectURIs: [REDIRECT_URI] } as const;

test.each([
  [{ clientId: 'x' }, 'registerClient() has no option "clientId". Did you mean clientID?'],
  [{ flow: 'form-a' }, "flow must be 'openid' or 'profile', not \"form-a\"."],
  [{ redirectURIs: REDIRECT_URI }, 'redirectURIs must be an array of addresses'],
  [
    { redirectURIs: [REDIRECT_URI, '/callback'] },
    'redirectURIs[1] cannot be "/callback": it is not an absolute address',
  ],
  [{ redirectURIs: ['http://app.example/cb'] }, 'use https'],
  [{ redirectURIs: ['https://app.example/#x'] }, 'has a fragment'],
  [{ redirectURIs: ['https://u:p@app.example/'] }, 'has a user name'],
  [{ redirectURIs: ['javascript:alert(1)'] }, 'is a javascript: address'],
  [{ postLogoutRedirectURIs: ['http://app.example/bye'] }, 'postLogoutRedirectURIs[0] cannot be'],
  [{ flow: 'profile', scope: 'openid basic' }, 'scope has an unknown scope, "openid", for the profile flow'],
  [{ responseTypes: ['token'] }, "responseTypes[0] must be 'code' or 'code id_token', not \"token\"."],
  [{ grantTypes: ['password'] }, "grantTypes[0] must be 'authorization_code' or 'refresh_token'"],
  [{ tokenEndpointAuthMethod: 'none' }, "tokenEndpointAuthMethod must be 'client_secret_post' or"],
  [{ clientID: 'default-openid' }, 'There is already a client "default-openid". Choose another clientID.'],
])('registering %j throws an error that names the option and the fix', (changes, message) => {
  expect(() => provider.registerClient({ ...good, ...changes } as never)).toThrow(message);
});

test('a developer has 25 clients at most', () => {
  const register = (developer: string) => provider.registerClient({ ...good, developer });
  for (let i = 0; i < 25; i += 1) register('busy');
  expect(() => register('busy')).toThrow('Developer "busy" already has 25 clients, the maximum.');
  expect(register('idle').flow).toBe('openid');
});

describe('http', () => {
  const LOCAL = [
    ...['http://localhost:3000/cb', 'http://clinic.localhost:3000/cb', 'http://a.b-c.localhost', 'http://127.0.0.1/cb'],
    ...['http://127.1.2.3:1/cb?x=1', 'http://[::1]:3000/cb', 'http://localhost:80/cb', 'http://app.localhost'],
  ];
  const CONTAINERS = ['http://web:3000/cb', 'http://web/cb', 'http://my_app-2:80/cb', 'http://web', 'http://1web/cb'];
  const OTHERS = [
    ...['localhost.example.com', 'evil-localhost.example', 'localhost.', '.localhost', 'a..localhost', '-.localhost'],
    ...['web.example.com', 'web.', '192.168.1.10', '0.0.0.0', '2130706433', '0x7f000001', '127.1', '127.0.0.1.example'],
    ...['[::ffff:127.0.0.1]', '[::]', 'LOCALHOST', 'Web', 'l%6fcalhost', 'user@localhost', 'web@evil.example'],
    ...['localhost:', 'web:03000', '-web', 'web-', 'w\u0435b'],
  ].map((host) => `http://${host}/cb`);
  const registers = (one: MockProvider, list: 'redirectURIs' | 'postLogoutRedirectURIs', uri: string) => {
    try {
      one.registerClient({ ...good, [list]: [uri], developer: `${list} ${uri}` });
      return true;
    } catch (error) {
      expect((error as Error).message).toContain(`${list}[0] cannot be`);
      return false;
    }
  };
  /** @returns the URIs that can be registered, and those that the default client accepts. */
  const acceptedBy = async (one: MockProvider) => {
    const all = [...LOCAL, ...CONTAINERS, ...OTHERS, 'HTTP://localhost/cb', 'http://web.:3000/cb'];
    const registered = all.filter((uri) => registers(one, 'redirectURIs', uri));
    expect(all.filter((uri) => registers(one, 'postLogoutRedirectURIs', uri))).toEqual(registered);
    const statuses = await Promise.all(
      all.map(async (redirect_uri) => {
        const { status } = await one.fetch(authorizeURL(one, one.clients.openid, { redirect_uri }));
        return [redirect_uri, status] as const;
      }),
    );
    const byDefault = statuses.filter(([, status]) => status === 200).map(([uri]) => uri);
    return { registered, byDefault };
  };
  const exact = (uris: readonly string[]) => uris.filter((uri) => !/:80\//.test(uri));

  test('is for hosts of this machine, with any port and no other form', async () => {
    expect(await acceptedBy(provider)).toEqual({ registered: LOCAL, byDefault: exact(LOCAL) });
    for (const uri of OTHERS.filter((one) => /^http:\/\/[\w.-]+\/cb$/.test(one))) {
      expect(registers(provider, 'redirectURIs', uri.replace('http:', 'https:'))).toBe(true);
    }
  });

  test.each([{ publicURL: 'http://mock:4400', host: '0.0.0.0' }, { publicURL: 'https://mock:4400' }])(
    'is for names of containers too with %j',
    async (address) => {
      const clients = [{ ...good, redirectURIs: ['http://web:3000/cb'], clientID: 'web', clientSecret: 'a secret' }];
      await using one = await startMockProvider({ ...address, clients });
      takePrinted();
      const uris = [...LOCAL, ...CONTAINERS];
      expect(await acceptedBy(one)).toEqual({ registered: uris, byDefault: exact(uris) });
    },
  );

  test.each(['http://mock.localhost:4400', 'https://mock.example', 'https://10.0.0.7'])(
    'is not for names of containers at a provider at %s',
    async (publicURL) => {
      await using one = await startMockProvider({ publicURL });
      expect((await acceptedBy(one)).registered).toEqual(LOCAL);
    },
  );
});
