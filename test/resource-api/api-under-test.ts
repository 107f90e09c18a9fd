import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../lib/async/clock.js';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { type APIUser, AuthorizedFetch, type UserTokens } from '../../lib/resource-api/authorized-fetch.js';
import type { CacheSlot, ConditionalCache } from '../../lib/resource-api/profile.js';
import { RequestLimits } from '../../lib/resource-api/request-limits.js';
import { createResourceAPI, type ResourceAPI } from '../../lib/resource-api/resource-api.js';
import { KEEP_IDLE_CONNECTIONS } from '../authorization-server/hostile-authorization-server.js';

export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** The options of the API, and the user of its tokens. By default each API has its own limits. */
export interface TestOptions
  extends Partial<Omit<ConstructorParameters<typeof AuthorizedFetch>[0], 'tokens'> & APIUser> {
  tokens?: Tokens;
  cache?: CacheSlot;
}
type Tokens = Pick<UserTokens, 'accessToken'>;

/** A minimal resource API over HTTP. Each test sets its responses. */
export interface APIUnderTest {
  url: string;
  /** Every request so far. */
  requests: IncomingMessage[];
  /** Sets the next responses. The last one is repeated. */
  responds(...handlers: Handler[]): void;
  api(options?: TestOptions): ResourceAPI;
  stop(): Promise<void>;
}

export const NOW: number = Date.UTC(2026, 0, 1);
export const clock: Clock = { now: () => NOW };
export const fetch: Fetch = createFetch({ timeout: 10_000 });

const noCache: CacheSlot = { read: () => undefined, write: () => undefined };
const noPause = async (): Promise<void> => undefined;

export async function startAPI(): Promise<APIUnderTest> {
  const requests: IncomingMessage[] = [];
  let next: Handler[] = [];
  const server: Server = createServer(KEEP_IDLE_CONNECTIONS, (req, res) => {
    requests.push(req);
    const handler = next.length > 1 ? next.shift() : next[0];
    handler?.(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    requests,
    responds(...handlers) {
      next = handlers;
    },
    api({ userID = 'user', profileID, cache = noCache, ...options } = {}) {
      const user = { userID, profileID };
      const defaults = {
        apiURL: url,
        fetch,
        clock,
        limits: new RequestLimits({ clock: options.clock ?? clock }),
        pause: noPause,
      };
      const { accessToken } = options.tokens ?? tokens('token-1');
      const service = new AuthorizedFetch({ ...defaults, ...options, tokens: { accessToken, user: async () => user } });
      return createResourceAPI(service, cache, (read) => read());
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function slotOf(cache: ConditionalCache, grantID: string): CacheSlot {
  return { read: () => cache.read(grantID), write: (response) => cache.write(grantID, response) };
}

/** A source of access tokens: the next one when the current one was refused. */
export function tokens(...values: string[]): Tokens & { refusedTokens: (string | undefined)[] } {
  const refusedTokens: (string | undefined)[] = [];
  return {
    refusedTokens,
    async accessToken(refusedToken) {
      refusedTokens.push(refusedToken);
      if (refusedToken !== undefined && refusedToken === values[0] && values.length > 1) values.shift();
      return values[0] as string;
    },
  };
}

export function json(body: unknown, headers: Record<string, string> = {}): Handler {
  return text(JSON.stringify(body), headers);
}

export function text(body: string | Buffer, headers: Record<string, string> = {}): Handler {
  return (_, res) => void res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
}

export function status(code: number, headers: Record<string, string> = {}): Handler {
  return (_, res) =>
    void res.writeHead(code, { 'content-type': 'application/json', ...headers }).end('{"message":"no"}');
}
