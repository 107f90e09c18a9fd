import { PATHS } from '../../http/paths.js';
import type { ExchangeIndex } from './exchange-index.js';
import { burst, elapsed, type Rule, type Violation } from './rule.js';

/** How long the documents may be kept, by their Cache-Control. */
const FRESH = 300_000;
const MOST_NEEDLESS = 2;

/** How the documents that hardly change are read. */
export const DOCUMENT_RULES: readonly Rule[] = [
  {
    id: 'metadata-not-kept',
    severity: 'warning',
    requirement: 'The metadata is kept from one login to the next.',
    fix: 'Read it once in a process, and again when it has got old: it may be kept for five minutes at least.',
    source: 'OpenID Connect Discovery section 4.3',
    check: (observed) => readAnew(observed, [PATHS.openidConfiguration, PATHS.authorizationServer], 'The metadata'),
  },
  {
    id: 'keys-not-kept',
    severity: 'warning',
    requirement: 'The keys are kept from one login to the next.',
    fix: 'Read them once in a process, and again when an ID Token names a kid that is not among them.',
    source: 'OpenID Connect Core section 10.1.1',
    check: (observed) => readAnew(observed, [PATHS.jwks], 'The key set'),
  },
  {
    id: 'session-check-reloaded',
    severity: 'warning',
    requirement: 'The page of the session check is loaded once, and then asked by messages.',
    fix: 'Keep the iframe, and post a message to it every few seconds: the page holds the state by itself.',
    source: 'OpenID Connect Session Management 1.0 section 3.1',
    check: ({ at }) => {
      const about = at(PATHS.sessionState).filter(({ record }) => record.status === 200);
      if (about.length === 0) return undefined;
      const entries = burst(about, 10, 60_000);
      return entries.length === 0 ? [] : [{ what: 'The page was loaded more than 10 times within a minute', entries }];
    },
  },
];

/** As often as there were logins, though what was read before was still fresh. */
function readAnew(
  { at, authorizations }: ExchangeIndex,
  paths: readonly string[],
  what: string,
): readonly Violation[] | undefined {
  const read = at(...paths).filter(({ record }) => record.status === 200 && record.method === 'GET' && !record.fault);
  if (read.length === 0) return undefined;
  const needless = read.filter((entry, index) => {
    const before = read.slice(0, index).findLast(({ record }) => record.path === entry.record.path);
    return before !== undefined && elapsed(before, entry) < FRESH;
  });
  const logins = new Set(authorizations.map(({ record }) => record.login)).size;
  if (needless.length <= MOST_NEEDLESS || read.length < logins) return [];
  return [{ what: `${what} was read ${read.length} times in ${logins} logins`, entries: needless }];
}
