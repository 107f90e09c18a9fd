import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthorizationParameters, AuthorizationServer } from '../authorization-server/authorization-server.js';
import { createAuthorizationServer } from '../authorization-server/authorization-server.js';
import { flows } from '../authorization-server/flows.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Transaction } from '../authorization-server/transaction.js';
import type { Cookies } from '../cookies.js';
import { DeniedError, TransactionError } from '../errors.js';
import type { ResolvedOptions } from '../options/options.js';
import type { CacheSlot } from '../resource-api/conditional-cache.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { createResourceAPI } from '../resource-api/resource-api.js';
import type { ClinicianIdentity } from '../session/types.js';
import { returnToPath } from './return-to.js';
import { createTransactions } from './transactions.js';

const NOBODY =
  "The service did not say who signed in: the profile could not be read, because scope 'basic' was not granted. Sign in again and approve it.";

/** The two halves of a login, as the Passport strategy and the drop-in both use them. @internal */
export interface Login {
  /** The authorization server it talks to. */
  server: AuthorizationServer;
  /** Starts an attempt: remembers it in the browser and answers where to send the person. */
  start(req: IncomingMessage, res: ServerResponse, parameters: AuthorizationParameters): Promise<string>;
  /** Takes, at the callback, the attempt that `state` names. Nothing else of the answer has been read by then. */
  consumeTransaction(req: IncomingMessage, res: ServerResponse): Transaction;
  /** Redeems what the answer brought; every rule for it is checked. */
  redeem(req: IncomingMessage, transaction: Transaction): Promise<TokenSet>;
  /** Reads the profile with a fresh access token. */
  /** @param cache gets the answer with its ETag */
  readProfile(accessToken: string, cache?: CacheSlot): Promise<ClinicianProfile>;
  /** True when a profile may be read with what was granted. */
  mayReadProfile(scope: readonly string[]): boolean;
  identify(tokens: TokenSet, profile: ClinicianProfile | undefined): ClinicianIdentity;
}

/** @returns the query of the request as it came over the wire, before any parser made objects of it. */
export function wireQuery(req: IncomingMessage): URLSearchParams {
  const url = (req as IncomingMessage & { originalUrl?: string }).originalUrl ?? req.url ?? '';
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start));
}

/** @returns true when a query is an authorization response, whole or broken. */
export function isAuthorizationResponse(query: URLSearchParams): boolean {
  return ['code', 'error', 'state', 'id_token', 'access_token'].some((name) => query.has(name));
}

function noStore(res: ServerResponse): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
}

export function createLogin(options: ResolvedOptions & { cookies: Cookies }): Login {
  const { issuer, flow, callbackURL, clock, cookies } = options;
  const server = createAuthorizationServer({ ...options, redirectURI: callbackURL });
  const transactions = createTransactions({ cookies, clock });
  const { identityFrom } = flows[flow];

  return {
    server,

    async start(req, res, parameters) {
      const { returnTo, ...rest } = parameters;
      const { url, transaction } = await server.request({
        ...rest,
        scope: parameters.scope ?? [...options.scope],
        ...(returnTo !== undefined && { returnTo: returnToPath(returnTo, options.origin) }),
      });
      transactions.save(req, res, transaction);
      noStore(res);
      return url;
    },

    consumeTransaction(req, res) {
      noStore(res);
      const [state, another] = wireQuery(req).getAll('state');
      if (!state || another !== undefined) {
        throw new TransactionError(
          'state_missing',
          "The answer carries no single 'state', so it cannot be one to a sign-in started here.",
        );
      }
      return transactions.consumeTransaction(req, res, state);
    },

    redeem(req, transaction) {
      return server.redeem(wireQuery(req), transaction);
    },

    readProfile(accessToken, cache) {
      const tokens = { accessToken: async () => accessToken };
      const { apiURL, fetch } = options;
      return createResourceAPI({ apiURL: apiURL as string, fetch, clock, tokens, cache }).profile();
    },

    mayReadProfile(scope) {
      return options.apiURL !== undefined && scope.includes('basic');
    },

    identify(tokens, profile) {
      const id = identityFrom === 'id_token' ? tokens.subject : profile?.id;
      if (!id) throw new DeniedError('identity_missing', NOBODY);
      return { id, issuer, ...(profile && { serviceID: profile.id }) };
    },
  };
}
