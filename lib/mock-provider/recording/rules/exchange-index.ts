import { PATHS } from '../../http/paths.js';
import { PAGE_PATHS } from '../../pages/paths.js';
import type { RecordedExchange } from '../observation.js';

/** What a rule may know of a client. */
export interface KnownClient {
  readonly flow: 'profile' | 'openid';
}

/** A pair of tokens that was given out. */
export interface TokenPair {
  readonly issued: RecordedExchange;
  readonly access: string;
  readonly refresh: string | undefined;
}

/** What was seen, sorted by what it was for. */
export interface ExchangeIndex {
  readonly entries: readonly RecordedExchange[];
  /** GET and POST at the authorization endpoint. */
  readonly authorizations: readonly RecordedExchange[];
  /** What a person's browser asks for: the authorization endpoint, and the pages. */
  readonly pages: readonly RecordedExchange[];
  readonly tokens: readonly RecordedExchange[];
  readonly redemptions: readonly RecordedExchange[];
  readonly refreshes: readonly RecordedExchange[];
  readonly revocations: readonly RecordedExchange[];
  readonly logouts: readonly RecordedExchange[];
  /** The resource API and userinfo: whatever takes an access token. */
  readonly resources: readonly RecordedExchange[];
  at(...paths: readonly string[]): readonly RecordedExchange[];
  clientOf(entry: RecordedExchange): KnownClient | undefined;
  /** The pair that a token, by its digest, is of: whichever of the two. */
  pairOf(token: string | undefined): TokenPair | undefined;
}

const PAGES: ReadonlySet<string> = new Set([
  ...[PATHS.authorize, PAGE_PATHS.resume, PAGE_PATHS.login, PAGE_PATHS.registration, PAGE_PATHS.verification],
  ...[PAGE_PATHS.consent, PAGE_PATHS.signIn, PAGE_PATHS.signOut],
]);

export function indexExchanges(
  entries: readonly RecordedExchange[],
  clientOf: (id: string) => KnownClient | undefined,
): ExchangeIndex {
  const at = (...paths: readonly string[]) => entries.filter(({ record }) => paths.includes(record.path));
  const posted = (path: string) => at(path).filter(({ record }) => record.method === 'POST');
  const tokens = posted(PATHS.token);
  const ofType = (type: string) => tokens.filter(({ record }) => record.form.grant_type === type);
  const pairs = pairsOf(tokens);
  return {
    entries,
    authorizations: entries.filter(({ seen }) => seen.authorization !== undefined),
    pages: entries.filter(({ record }) => PAGES.has(record.path)),
    tokens,
    redemptions: ofType('authorization_code'),
    refreshes: ofType('refresh_token'),
    revocations: posted(PATHS.revoke),
    logouts: at(PATHS.logout).filter(({ record }) => record.method === 'GET' || record.method === 'POST'),
    resources: entries.filter(
      ({ record: { path, method } }) => (path.startsWith('/api/') || path === PATHS.userinfo) && method !== 'OPTIONS',
    ),
    at,
    clientOf: ({ record }) => (record.clientID === undefined ? undefined : clientOf(record.clientID)),
    pairOf: (token) => (token === undefined ? undefined : pairs.get(token)),
  };
}

function pairsOf(tokens: readonly RecordedExchange[]): Map<string, TokenPair> {
  const pairs = new Map<string, TokenPair>();
  for (const issued of tokens) {
    const { access_token: access, refresh_token: refresh } = issued.seen.responseDigests;
    if (access === undefined) continue;
    const pair: TokenPair = { issued, access, refresh };
    pairs.set(access, pair);
    if (refresh !== undefined) pairs.set(refresh, pair);
  }
  return pairs;
}

/** @returns the parameters of a request, wherever they stood. */
export function parametersOf({ record }: RecordedExchange): Readonly<Record<string, string>> {
  return { ...record.query, ...record.form };
}
