import { PATHS } from '../../http/paths.js';
import type { RecordedExchange } from '../observation.js';
import { checkAll, elapsedMs, type ReportRule } from './rule.js';

/** The max-age of the documents. */
const MAX_AGE_MS = 300_000;
const MAX_NEEDLESS_READS = 2;
const DOCUMENTS = [PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks];

/** The rule for reading documents that rarely change. */
export const DOCUMENT_RULES: readonly ReportRule[] = [
  {
    id: 'documents-not-cached',
    severity: 'warning',
    requirement: 'The metadata and the keys are cached from one login to the next.',
    fix: 'Read them once in a process: the metadata again after five minutes at the earliest, the keys for an unknown kid.',
    source: 'OpenID Connect Core section 10.1.1',
    check: ({ at, authorizations }) => {
      const isRead = ({ record: { status, method, fault } }: RecordedExchange) =>
        status === 200 && method === 'GET' && !fault;
      const logins = new Set(authorizations.map(({ record }) => record.login)).size;
      const all = DOCUMENTS.map((path) => at(path).filter(isRead));
      const violations = all.flatMap(
        (reads) =>
          checkAll(
            reads,
            () => (reads.length >= logins ? needlessReads(reads) : []),
            `${reads[0]?.record.path} was read ${reads.length} times in ${logins} logins`,
          ) ?? [],
      );
      return all.every((reads) => reads.length === 0) ? undefined : violations;
    },
  },
];

/** @returns the reads of a document while the previous response was fresh, if there are several. */
function needlessReads(reads: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const needless = reads.filter((read, index) => {
    const previous = reads[index - 1];
    return previous !== undefined && elapsedMs(previous, read) < MAX_AGE_MS;
  });
  return needless.length > MAX_NEEDLESS_READS ? needless : [];
}
