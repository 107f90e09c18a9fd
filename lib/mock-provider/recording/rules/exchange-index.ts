import { isAPIPath, PATHS } from '../../http/paths.js';
import type { Client, ClientStore } from '../../state/clients.js';
import type { RecordedExchange } from '../observation.js';

/** The recorded exchanges, by purpose. */
export interface ExchangeIndex {
  readonly exchanges: readonly RecordedExchange[];
  /** GET and POST at the authorization endpoint. */
  readonly authorizations: readonly RecordedExchange[];
  /** POST at the token endpoint. */
  readonly tokenRequests: readonly RecordedExchange[];
  readonly redemptions: readonly RecordedExchange[];
  readonly refreshes: readonly RecordedExchange[];
  readonly revocations: readonly RecordedExchange[];
  readonly logouts: readonly RecordedExchange[];
  /** Requests with an access token: the resource API and userinfo. */
  readonly resources: readonly RecordedExchange[];
  at(path: string): readonly RecordedExchange[];
  clientOf(exchange: RecordedExchange): Client | undefined;
  /** @returns the token request that issued a token, by its fingerprint. */
  issueOf(token: number | undefined): RecordedExchange | undefined;
}

export function indexExchanges(exchanges: readonly RecordedExchange[], clients: ClientStore): ExchangeIndex {
  const at = (path: string) => exchanges.filter(({ record }) => record.path === path);
  const postsTo = (path: string) => at(path).filter(({ record }) => record.method === 'POST');
  const tokenRequests = postsTo(PATHS.token);
  const ofType = (type: string) => tokenRequests.filter(({ record }) => record.form.grant_type === type);
  const issues = issuesByToken(tokenRequests);
  return {
    exchanges,
    authorizations: exchanges.filter(({ observation }) => observation.authorizationFingerprint !== undefined),
    tokenRequests,
    redemptions: ofType('authorization_code'),
    refreshes: ofType('refresh_token'),
    revocations: postsTo(PATHS.revoke),
    logouts: at(PATHS.logout).filter(({ record }) => record.method === 'GET' || record.method === 'POST'),
    resources: exchanges.filter(
      ({ record: { path, method } }) => (isAPIPath(path) || path === PATHS.userinfo) && method !== 'OPTIONS',
    ),
    at,
    clientOf: ({ record }) => (record.clientID === undefined ? undefined : clients.get(record.clientID)),
    issueOf: (token) => (token === undefined ? undefined : issues.get(token)),
  };
}

function issuesByToken(tokenRequests: readonly RecordedExchange[]): Map<number, RecordedExchange> {
  const issues = new Map<number, RecordedExchange>();
  for (const issue of tokenRequests) {
    const { access_token, refresh_token } = issue.observation.responseFingerprints;
    if (access_token !== undefined) issues.set(access_token, issue);
    if (refresh_token !== undefined) issues.set(refresh_token, issue);
  }
  return issues;
}
