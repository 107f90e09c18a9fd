import { PATHS } from '../../http/paths.js';
import type { RecordedExchange } from '../observation.js';
import type { ExchangeIndex } from './exchange-index.js';
import { checkAll, elapsedMs, type ReportRule } from './rule.js';

/** The max-age of the documents. */
const MAX_AGE_MS = 300_000;
const MAX_NEEDLESS_READS = 2;

/** The rules for reading documents that rarely change. */
export const DOCUMENT_RULES: readonly ReportRule[] = [
  {
    id: 'metadata-not-cached',
    severity: 'warning',
    requirement: 'The metadata is cached from one login to the next.',
    fix: 'Read it once in a process, and again after its max-age of five minutes at the earliest.',
    source: 'OpenID Connect Discovery section 4.3',
    check: (index) => checkReads(index, [PATHS.openidConfiguration, PATHS.authorizationServer], 'The metadata'),
  },
  {
    id: 'keys-not-cached',
    severity: 'warning',
    requirement: 'The keys are cached from one login to the next.',
    fix: 'Read them once in a process, and again when an ID Token has an unknown kid.',
    source: 'OpenID Connect Core section 10.1.1',
    check: (index) => checkReads(index, [PATHS.jwks], 'The key set'),
  },
];

/** @returns a violation: as many reads as logins, and several of them while the previous response was fresh. */
function checkReads({ at, authorizations }: ExchangeIndex, paths: readonly string[], document: string) {
  const reads = at(...paths).filter(({ record }) => record.status === 200 && record.method === 'GET' && !record.fault);
  const logins = new Set(authorizations.map(({ record }) => record.login)).size;
  return checkAll(
    reads,
    () => {
      const latest = new Map<string, RecordedExchange>();
      const needless = reads.filter((read) => {
        const previous = latest.get(read.record.path);
        latest.set(read.record.path, read);
        return previous !== undefined && elapsedMs(previous, read) < MAX_AGE_MS;
      });
      return needless.length > MAX_NEEDLESS_READS && reads.length >= logins ? needless : [];
    },
    `${document} was read ${reads.length} times in ${logins} logins`,
  );
}
