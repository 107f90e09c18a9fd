import { PATHS } from '../../http/paths.js';
import type { RecordedExchange } from '../observation.js';
import { checkAll, checkEach, checkGroups, elapsedMs, findBurst, type ReportRule } from './rule.js';

/** Requests that are in progress when the limit is reached still arrive. */
const IN_PROGRESS_MS = 100;
const MAX_IN_PROGRESS = 5;
/** A site need not cache a profile for longer. */
const PROFILE_CACHE_MS = 3_600_000;
const MAX_PAGES_PER_SECOND = 20;

/** The max-age of the documents. */
const MAX_AGE_MS = 300_000;
const MAX_NEEDLESS_READS = 2;
const DOCUMENTS = [PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks];

/** The rules for the use of the resource API and of the public documents. */
export const RESOURCE_API_RULES: readonly ReportRule[] = [
  {
    id: 'rate-limit-ignored',
    severity: 'error',
    requirement: 'After a 429 response no request is sent until the window ends.',
    fix: 'Wait until X-Rate-Limit-Reset: applications that repeatedly exceed the limit are blacklisted.',
    source: 'service spec: limits',
    check: ({ resources }) => {
      const counted = resources.filter(
        ({ record }) => record.path !== PATHS.rateLimit && record.path !== PATHS.userinfo,
      );
      if (!counted.some(({ rateLimitedUntil }) => rateLimitedUntil !== undefined)) return undefined;
      const windowOf = ({ record }: RecordedExchange) => `${record.clientID} ${record.clinician}`;
      return checkGroups(counted, windowOf, requestsAfterLimit, 'Requests continued after 429');
    },
  },
  {
    id: 'profile-unconditional',
    severity: 'warning',
    requirement: 'A profile that was read before is requested with its ETag.',
    fix: 'Store the ETag with the profile and send If-None-Match: a 304 response has no body.',
    source: 'service spec: limits',
    check: ({ at }) => {
      const previous = new Map<number, RecordedExchange>();
      const repeated = at(PATHS.currentUser).filter((read) => {
        const { login, method, fault, status, at: time } = read.record;
        if (login === undefined || method !== 'GET' || fault || (status !== 200 && status !== 304)) return false;
        const last = previous.get(login);
        previous.set(login, read);
        return last !== undefined && time - last.record.at < PROFILE_CACHE_MS;
      });
      return checkEach(
        repeated,
        ({ record }) => record.headers['if-none-match'] === undefined,
        'A profile was read again without If-None-Match',
      );
    },
  },
  {
    id: 'colleagues-too-fast',
    severity: 'warning',
    requirement: 'Pages of colleagues are read one after the other, with pauses.',
    fix: 'Read a page when a user opens it, use larger pages, and pause between requests.',
    source: 'service spec: limits',
    check: ({ at }) =>
      checkAll(
        at(PATHS.colleagues),
        (reads) => findBurst(reads, MAX_PAGES_PER_SECOND, 1000),
        `More than ${MAX_PAGES_PER_SECOND} pages were read within a second`,
      ),
  },
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

/** @returns the requests in the window after a 429 response, except the few that may have been in progress. */
function requestsAfterLimit(group: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const limited = group.find(({ rateLimitedUntil }) => rateLimitedUntil !== undefined);
  if (limited?.rateLimitedUntil === undefined) return [];
  const { record, rateLimitedUntil } = limited;
  const later = group.filter((one) => one.record.number > record.number && one.record.at < rateLimitedUntil);
  if (later.length >= MAX_IN_PROGRESS) return later;
  return later.filter((one) => elapsedMs(limited, one) > IN_PROGRESS_MS);
}

/** @returns the reads of a document while the previous response was fresh, if there are several. */
function needlessReads(reads: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const needless = reads.filter((read, index) => {
    const previous = reads[index - 1];
    return previous !== undefined && elapsedMs(previous, read) < MAX_AGE_MS;
  });
  return needless.length > MAX_NEEDLESS_READS ? needless : [];
}
