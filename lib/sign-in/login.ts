import type { ServerResponse } from 'node:http';
import type { Transaction } from '../authorization-server/authorization-request.js';
import { type AuthorizationServer, createAuthorizationServer } from '../authorization-server/authorization-server.js';
import { flows } from '../authorization-server/flows.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Cookies } from '../cookies.js';
import { DeniedError, TransactionError } from '../errors.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { type CachedResponse, cacheSlot } from '../resource-api/conditional-cache.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { createResourceAPI } from '../resource-api/resource-api.js';
import type { ClinicianIdentity } from '../session/logins.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { type Attempt, authorizationParameters, type LoginOptions } from './login-request.js';
import { returnToPath } from './return-to.js';
import { createTransactions } from './transactions.js';

/** Holds a profile, and the response that contained it for the next conditional request. */
interface ProfileResponse {
  profile: ClinicianProfile;
  response: CachedResponse | undefined;
}

/** Describes the user who signed in. The profile is absent where the tokens may not read one. @internal */
export interface SignedInUser extends Partial<ProfileResponse> {
  identity: ClinicianIdentity;
}

/**
 * Runs one login attempt, from the authorization request to the identity: for the drop-in and for the Passport strategy.
 * @internal
 */
export interface Login {
  server: AuthorizationServer;
  /**
   * Checks the options, starts an attempt and saves it in the browser. @param extra additional parameters of the request
   * @returns the URL to redirect the user to.
   */
  start(
    req: SessionRequest,
    res: ServerResponse,
    options: LoginOptions,
    attempt: Attempt,
    extra?: Record<string, string>,
  ): Promise<string>;
  /** @returns the attempt that the response in this request belongs to, without using it up. */
  attemptOf(req: SessionRequest): Attempt | undefined;
  /** @returns the attempt that the `state` of an authorization response names, before anything else of the response is read. */
  consumeTransaction(req: SessionRequest, res: ServerResponse): Transaction;
  /** Validates the authorization response, redeems its code and validates the token response. */
  redeem(req: SessionRequest, transaction: Transaction): Promise<TokenSet>;
  /** Identifies the user who signed in: from the profile where the tokens may read it, and from the ID Token. */
  identify(tokens: TokenSet): Promise<SignedInUser>;
  /** Reads the profile with an access token. */
  readProfile(accessToken: string): Promise<ClinicianProfile>;
}

/** @returns true when a query contains an authorization response, even an incomplete one. */
export function isAuthorizationResponse(query: URLSearchParams): boolean {
  return ['code', 'error', 'state', 'id_token', 'access_token'].some((name) => query.has(name));
}

/** @returns the attempt that {@link Login.start} stored in a transaction. */
export function attemptIn({ appState }: Transaction): Attempt {
  return appState as Attempt;
}

function noStore(res: ServerResponse): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
}

export function createLogin(options: ResolvedOptions & { cookies: Cookies }): Login {
  const { issuer, flow, callbackURL, origin, scope, apiURL, clock, fetch, cookies } = options;
  const server = createAuthorizationServer({ ...options, redirectURI: callbackURL });
  const transactions = createTransactions({ cookies, clock });
  const { identityFrom } = flows[flow];

  async function readProfile(accessToken: string): Promise<ProfileResponse> {
    const tokens = { accessToken: async () => accessToken };
    const cache = cacheSlot();
    const profile = await createResourceAPI({ apiURL: apiURL as string, fetch, clock, tokens, cache }).profile();
    return { profile, response: cache.read() };
  }

  return {
    server,

    async start(req, res, { returnTo, ...options }, attempt, extra) {
      const parameters = authorizationParameters(options, flow, extra);
      const { url, transaction } = await server.request({
        ...parameters,
        scope: parameters.scope ?? [...scope],
        appState: attempt,
        ...(returnTo !== undefined && { returnTo: returnToPath(returnTo, origin) }),
      });
      transactions.save(req, res, transaction);
      noStore(res);
      return url;
    },

    attemptOf(req) {
      const [state, another] = queryOf(req).getAll('state');
      if (!state || another !== undefined) return undefined;
      const transaction = transactions.peek(req, state);
      return transaction && attemptIn(transaction);
    },

    consumeTransaction(req, res) {
      noStore(res);
      const [state, another] = queryOf(req).getAll('state');
      if (!state || another !== undefined) {
        throw new TransactionError(
          'state_missing',
          "The authorization response must contain exactly one 'state'. Start the sign-in again.",
        );
      }
      return transactions.consumeTransaction(req, res, state);
    },

    redeem: (req, transaction) => server.redeem(queryOf(req), transaction),

    async identify(tokens) {
      const mayReadProfile = apiURL !== undefined && tokens.scope.includes('basic');
      const read = mayReadProfile ? await readProfile(tokens.accessToken.reveal()) : undefined;
      const profile = read?.profile;
      const id = identityFrom === 'id_token' ? tokens.subject : profile?.id;
      if (!id) {
        throw new DeniedError(
          'identity_missing',
          "The service did not identify the user: the profile needs scope 'basic', which was not granted. Sign in again and approve it.",
        );
      }
      return { identity: { id, issuer, ...(profile && { serviceID: profile.id }) }, ...read };
    },

    readProfile: async (accessToken) => (await readProfile(accessToken)).profile,
  };
}
