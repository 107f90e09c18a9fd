import { expect, test } from '@jest/globals';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { RequestLimits } from '../../lib/resource-api/request-limits.js';
import { Secret } from '../../lib/sealing/secret.js';
import { GrantAPIs } from '../../lib/session/grant-apis.js';
import type { VaultGrant } from '../../lib/token-vault/grant-records.js';
import { movableClock } from '../token-vault/movable-clock.js';
import { nextTurn } from '../token-vault/vault-under-test.js';

const TOKENS: TokenSet = { accessToken: new Secret('token'), expiresAt: 0, scope: ['basic'], subject: 'a', params: {} };
const ETAG = { etag: '"v1"' };

test('a profile that arrives after the end of its grant is not cached', async () => {
  const clock = movableClock();
  let stored: TokenSet | undefined = TOKENS;
  const sent: (string | undefined)[] = [];
  let respond: () => void = () => undefined;
  const apis = new GrantAPIs({
    apiURL: 'https://api.service.example',
    clock,
    limits: new RequestLimits({ clock }),
    accessToken: async () => 'token',
    vault: { find: async () => stored && ({ tokens: stored } as VaultGrant) },
    fetch: async (_, init) => {
      sent.push(init?.headers?.['if-none-match']);
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return Response.json({ id: 7 }, { headers: ETAG });
    },
  });
  const read = async (meanwhile: () => void = () => undefined) => {
    const profile = apis.of('grant').profile();
    const before = sent.length;
    while (sent.length === before) await nextTurn();
    meanwhile();
    respond();
    await profile;
  };
  await read(() => {
    stored = undefined;
    apis.remove('grant');
  });
  stored = TOKENS;
  await read();
  await read();
  expect(sent).toEqual([undefined, undefined, '"v1"']);
});
