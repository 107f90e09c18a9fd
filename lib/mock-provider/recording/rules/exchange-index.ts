import { isAPIPath, PAGE_PATHS, PATHS } from '../../http/paths.js';
import type { RecordedExchange } from '../observation.js';

/** The part of a registered client that the rules use. */
export interface KnownClient {
  readonly flow: 'profile' | 'openid';
  readonly tokenEndpointAuthMethod: 'client_secret_post' | 'client_secret_basic';
}

/** The fingerprints of an access token and its refresh token. */
export interface TokenPair {
  readonly issuedBy: RecordedExchange;
  readonly accessToken: number;
  readonly refreshToken: number | undefined;
}

/** The recorded exchanges, by purpose. */
export interface ExchangeIndex {
  readonly exchanges: readonly RecordedExchange[];
  /** GET at the authorization endpoint. */
  readonly authorizations: readonly RecordedExchange[];
  /** Requests of browsers: the authorization endpoint and the pages. */
  readonly pages: readonly RecordedExchange[];
  /** POST at the token endpoint. */
  readonly tokenRequests: readonly RecordedExchange[];
  readonly redemptions: readonly RecordedExchange[];
  readonly refreshes: readonly RecordedExchange[];
  readonly revocations: readonly RecordedExchange[];
  readonly logouts: readonly RecordedExchange[];
  /** Requests with an access token: the resource API and userinfo. */
  readonly resources: readonly RecordedExchange[];
  at(...paths: readonly string[]): readonly RecordedExchange[];
  clientOf(exchange: RecordedExchange): KnownClient | undefined;
  /** @param value the fingerprint of either token of the pair */
  pairOf(value: number | undefined): TokenPair | undefined;
}

const PAGES: ReadonlySet<string> = new Set([
  ...[PATHS.authorize, PAGE_PATHS.resume, PAGE_PATHS.login, PAGE_PATHS.registration, PAGE_PATHS.verification],
  ...[PAGE_PATHS.consent, PAGE_PATHS.signIn, PAGE_PATHS.signOut],
]);

export function indexExchanges(
  exchanges: readonly RecordedExchange[],
  clientOf: (id: string) => KnownClient | undefined,
): ExchangeIndex {
  const at = (...paths: readonly string[]) => exchanges.filter(({ record }) => paths.includes(record.path));
  const postsTo = (path: string) => at(path).filter(({ record }) => record.method === 'POST');
  const tokenRequests = postsTo(PATHS.token);
  const ofType = (type: string) => tokenRequests.filter(({ record }) => record.form.grant_type === type);
  const pairs = tokenPairs(tokenRequests);
  return {
    exchanges,
    authorizations: exchanges.filter(({ observation }) => observation.authorizationFingerprint !== undefined),
    pages: exchanges.filter(({ record }) => PAGES.has(record.path)),
    tokenRequests,
    redemptions: ofType('authorization_code'),
    refreshes: ofType('refresh_token'),
    revocations: postsTo(PATHS.revoke),
    logouts: at(PATHS.logout).filter(({ record }) => record.method === 'GET' || record.method === 'POST'),
    resources: exchanges.filter(
      ({ record: { path, method } }) => (isAPIPath(path) || path === PATHS.userinfo) && method !== 'OPTIONS',
    ),
    at,
    clientOf: ({ record }) => (record.clientID === undefined ? undefined : clientOf(record.clientID)),
    pairOf: (value) => (value === undefined ? undefined : pairs.get(value)),
  };
}

function tokenPairs(tokenRequests: readonly RecordedExchange[]): Map<number, TokenPair> {
  const pairs = new Map<number, TokenPair>();
  for (const issuedBy of tokenRequests) {
    const { access_token: accessToken, refresh_token: refreshToken } = issuedBy.observation.responseFingerprints;
    if (accessToken === undefined) continue;
    const pair: TokenPair = { issuedBy, accessToken, refreshToken };
    pairs.set(accessToken, pair);
    if (refreshToken !== undefined) pairs.set(refreshToken, pair);
  }
  return pairs;
}
