import { PATHS } from '../../http/paths.js';
import type { RecordedExchange } from '../observation.js';
import { burst, checkEach, checkGroups, elapsed, type Rule } from './rule.js';

/** What is under way when a limit strikes may still arrive. */
const UNDER_WAY = 100;
const MOST_UNDER_WAY = 5;
/** Nobody has to keep somebody's profile for longer than an hour. */
const KEPT = 3_600_000;
const MOST_A_SECOND = 20;
const BIGGEST_PAGE = 100;
const SMALL_PAGE = 10;
const MANY_PAGES = 5;

/** How the resource API is read. */
export const RESOURCE_API_RULES: readonly Rule[] = [
  {
    id: 'rate-limit-ignored',
    severity: 'error',
    requirement: 'After a 429 nothing is asked until the window ends.',
    fix: 'Wait until X-Rate-Limit-Reset: applications that repeatedly go over the limit are blacklisted.',
    source: 'service spec: limits',
    check: ({ resources }) => {
      const asked = resources.filter(({ record }) => record.path !== PATHS.rateLimit && record.path !== PATHS.userinfo);
      const limited = asked.filter(({ rateLimitedUntil: limitedTill }) => limitedTill !== undefined);
      if (limited.length === 0) return undefined;
      const bucketOf = ({ record }: RecordedExchange) => `${record.clientID} ${record.clinician}`;
      return checkGroups(asked, bucketOf, stillAsked, () => 'Requests went on after 429') ?? [];
    },
  },
  {
    id: 'profile-unconditional',
    severity: 'warning',
    requirement: 'A profile that was read before is asked for with its ETag.',
    fix: 'Keep the ETag with the profile and send If-None-Match: a 304 costs nothing of the rate limit.',
    source: 'service spec: limits',
    check: ({ at }) => {
      const read = at(PATHS.currentUser).filter(({ record }) => record.method === 'GET' && !record.fault);
      const good = read.filter(({ record }) => record.status === 200 || record.status === 304);
      const before = new Map<number, RecordedExchange>();
      const again = good.filter((entry) => {
        const { login } = entry.record;
        if (login === undefined) return false;
        const last = before.get(login);
        before.set(login, entry);
        return last !== undefined && entry.record.at - last.record.at < KEPT;
      });
      return checkEach(
        again,
        ({ record }) => record.headers['if-none-match'] === undefined,
        'A profile was read again without If-None-Match',
      );
    },
  },
  {
    id: 'colleagues-storm',
    severity: 'warning',
    requirement: 'Pages of colleagues are read one after the other, with time between them.',
    fix: 'Read a page when a person wants to see it, in larger pages, and space the calls out.',
    source: 'service spec: limits',
    check: ({ at }) => {
      const about = at(PATHS.colleagues);
      if (about.length === 0) return undefined;
      const entries = burst(about, MOST_A_SECOND, 1000);
      return entries.length === 0
        ? []
        : [{ what: `More than ${MOST_A_SECOND} pages were read within a second`, entries }];
    },
  },
  {
    id: 'colleagues-page-size',
    severity: 'warning',
    requirement: 'Pages of colleagues have 10 to 100 people.',
    fix: 'Ask for 100 a page at most, as no more come, and for no walk through many tiny pages.',
    source: 'service spec: resource API',
    check: ({ at }) => {
      const about = at(PATHS.colleagues);
      const sizeOf = ({ record }: RecordedExchange) => Number(record.query.per_page ?? 30);
      const tiny = about.filter((entry) => sizeOf(entry) < SMALL_PAGE);
      return checkEach(
        about,
        (entry) => sizeOf(entry) > BIGGEST_PAGE || (tiny.length >= MANY_PAGES && tiny.includes(entry)),
        (broken) => `per_page was ${[...new Set(broken.map(sizeOf))].join(', ')}`,
      );
    },
  },
];

/** @returns what came in the window that a 429 closed, unless it may have been under way. */
function stillAsked(group: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const limit = group.find(({ rateLimitedUntil: limitedTill }) => limitedTill !== undefined);
  if (limit === undefined) return [];
  const later = group.filter(
    ({ record }) => record.number > limit.record.number && record.at < (limit.rateLimitedUntil as number),
  );
  if (later.length >= MOST_UNDER_WAY) return later;
  return later.filter((entry) => elapsed(limit, entry) > UNDER_WAY);
}
