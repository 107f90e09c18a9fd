// A minimal site process: a vault on Redis that runs the tasks of its parent. Bundled and forked by processes.ts.
import { createClient } from 'redis';
import { systemClock } from '../../lib/clock.js';
import { ClinicianError, ServiceUnavailableError } from '../../lib/errors.js';
import { RedisTokenStore } from '../../lib/redis.js';
import { createSealer } from '../../lib/sealer.js';
import { Secret } from '../../lib/secret.js';
import { createTokenVault } from '../../lib/token-vault/token-vault.js';
import { deserialize, type Pair, type SerializedPair, serialize } from './rotating-server.js';

/** Requests access tokens concurrently. The reply has a token, or the code of an error, for each. */
export interface Task {
  grantID: string;
  requests: number;
}

const { REDIS_URL, TOKEN_ENDPOINT, SECRET } = process.env as Record<string, string>;

async function refresh({ refreshToken }: Pair): Promise<Pair> {
  const response = await fetch(TOKEN_ENDPOINT as string, { method: 'POST', body: refreshToken?.reveal() ?? '' });
  if (response.status === 200) return deserialize((await response.json()) as SerializedPair);
  if (response.status === 400) throw new ClinicianError('', { code: 'invalid_grant', status: 401, remedy: 'sign_in' });
  throw new ServiceUnavailableError('service_error', `HTTP ${response.status}`);
}

const client = createClient({ url: REDIS_URL as string, socket: { reconnectStrategy: 20 } });
client.on('error', () => undefined);
await client.connect();
const vault = createTokenVault<Pair, SerializedPair>({
  store: new RedisTokenStore({ client, timeout: 15_000 }),
  sealer: createSealer([new Secret(SECRET as string)], 'tokens'),
  instance: 'instance',
  clock: systemClock,
  refresh,
  serialize,
  deserialize,
});

process.on('message', ({ grantID, requests }: Task) => {
  const tokens = Array.from({ length: requests }, () =>
    vault.accessToken(grantID).catch((error: { code?: string }) => `error: ${error.code}`),
  );
  void Promise.all(tokens).then((results) => process.send?.(results));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
