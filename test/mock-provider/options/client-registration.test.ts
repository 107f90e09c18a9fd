import { expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';

const REDIRECT_URI = 'http://127.0.0.1:5001/callback';
const good = { flow: 'openid', redirectURIs: [REDIRECT_URI] } as const;

test.each([
  [{ clientId: 'x' }, 'registerClient() has no option "clientId". Did you mean clientID?'],
  [{ flow: 'form-a' }, "flow must be 'openid' or 'profile', not \"form-a\"."],
  [{ flow: undefined }, 'registerClient() needs the option "flow"'],
  [
    { redirectURIs: undefined },
    'registerClient() needs the option "redirectURIs", which must be an array of addresses',
  ],
  [{ redirectURIs: [] }, 'redirectURIs must be an array of addresses'],
  [{ redirectURIs: REDIRECT_URI }, 'redirectURIs must be an array of addresses'],
  [
    { redirectURIs: [REDIRECT_URI, '/callback'] },
    'redirectURIs[1] cannot be "/callback": it is not an absolute address',
  ],
  [{ redirectURIs: ['http://app.example/cb'] }, 'use https'],
  [{ redirectURIs: ['https://app.example/#x'] }, 'has a fragment'],
  [{ redirectURIs: ['https://u:p@app.example/'] }, 'has a user name'],
  [{ redirectURIs: ['javascript:alert(1)'] }, 'javascript:'],
  [{ postLogoutRedirectURIs: ['http://app.example/bye'] }, 'postLogoutRedirectURIs[0] cannot be'],
  [{ scope: 'openid nonsense' }, 'scope has an unknown scope, "nonsense", for the openid flow'],
  [{ scope: 'opened' }, 'Did you mean openid?'],
  [{ flow: 'profile', scope: 'openid basic' }, 'scope has an unknown scope, "openid", for the profile flow'],
  [{ scope: '' }, 'scope must have at least one scope'],
  [{ scope: [5] }, 'scope[0] must be a string, not 5.'],
  [{ clientID: 'caf\u00e9' }, 'clientID must have printable ASCII characters only'],
  [{ clientSecret: '' }, 'clientSecret must be a string that is not empty'],
  [{ requirePKCE: 'no' }, 'requirePKCE must be true or false, not a string.'],
  [{ responseTypes: ['token'] }, "responseTypes[0] must be 'code' or 'code id_token', not \"token\"."],
  [{ responseTypes: [] }, 'responseTypes must be an array, not an empty array.'],
  [
    { flow: 'profile', responseTypes: ['code id_token'] },
    "responseTypes cannot have 'code id_token' in the profile flow",
  ],
  [{ grantTypes: ['password'] }, "grantTypes[0] must be 'authorization_code' or 'refresh_token'"],
  [
    { tokenEndpointAuthMethod: 'client_secret_post' },
    "tokenEndpointAuthMethod must be 'client_secret_basic' in the openid flow.",
  ],
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
