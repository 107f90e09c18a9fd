import { PATHS } from '../../http/paths.js';
import { PAGE_PATHS } from '../../pages/paths.js';
import type { Entry } from '../observation.js';

/** What a rule may know of a client. */
export interface KnownClient {
  readonly flow: 'profile' | 'openid';
}

/** A pair of tokens that was given out. */
export interface Pair {
  readonly issued: Entry;
  readonly access: string;
  readonly refresh: string | undefined;
}

/** What was seen, sorted by what it was for. */
export interface Observed {
  readonly entries: readonly Entry[];
  /** GET and POST at the authorization endpoint. */
  readonly authorizations: readonly Entry[];
  /** What a person's browser asks for: the authorization endpoint, and the pages. */
  readonly pages: readonly Entry[];
  readonly tokens: readonly Entry[];
  readonly redemptions: readonly Entry[];
  readonly refreshes: readonly Entry[];
  readonly revocations: readonly Entry[];
  readonly logouts: readonly Entry[];
  /** The resource API and userinfo: whatever takes an access token. */
  readonly resources: readonly Entry[];
  at(...paths: readonly string[]): readonly Entry[];
  clientOf(entry: Entry): KnownClient | undefined;
  /** The pair that a token, by its digest, is of: whichever of the two. */
  pairOf(token: string | undefined): Pair | undefined;
}

const PAGES: ReadonlySet<string> = new Set([
  ...[PATHS.authorize, PAGE_PATHS.resume, PAGE_PATHS.login, PAGE_PATHS.registration, PAGE_PATHS.verification],
  ...[PAGE_PATHS.consent, PAGE_PATHS.signIn, PAGE_PATHS.signOut],
]);

export function observed(entries: readonly Entry[], clientOf: (id: string) => KnownClient | undefined): Observed {
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

function pairsOf(tokens: readonly Entry[]): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const issued of tokens) {
    const { access_token: access, refresh_token: refresh } = issued.seen.given;
    if (access === undefined) continue;
    const pair: Pair = { issued, access, refresh };
    pairs.set(access, pair);
    if (refresh !== undefined) pairs.set(refresh, pair);
  }
  return pairs;
}

/** @returns the parameters of a request, wherever they stood. */
export function parametersOf({ record }: Entry): Readonly<Record<string, string>> {
  return { ...record.query, ...record.form };
}
