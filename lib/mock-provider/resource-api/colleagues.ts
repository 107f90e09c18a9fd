import { digest } from '../http/digest.js';
import type { MockRequest } from '../http/request.js';
import { Refusal } from '../protocol/refusal.js';
import { colleague } from './generated-colleagues.js';
import type { Resource } from './resource-api.js';
import { wireMembers } from './wire-names.js';

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

/** GET /api/v1/colleagues (service spec: colleague list). The cost of a page does not depend on the length of the list. */
export const colleagues: Resource = {
  scope: 'colleagues',
  read({ rules }, http, { account }) {
    const page = wholeNumber(http, 'page', 1);
    const perPage = wholeNumber(http, 'per_page', DEFAULT_PER_PAGE);
    if (page instanceof Refusal) return page;
    if (perPage instanceof Refusal) return perPage;
    const size = Math.min(perPage, MAX_PER_PAGE);
    const total = account.fields.colleagueCount ?? 0;
    const first = (page - 1) * size;
    const items = Array.from({ length: Math.max(0, Math.min(size, total - first)) }, (_, place) =>
      wireMembers(colleague(account.id, first + place), rules.spelling),
    );
    const body = JSON.stringify({
      total_entries: total,
      current_page: page,
      total_pages: Math.max(1, Math.ceil(total / size)),
      per_page: size,
      items,
    });
    return { body, etag: `"${digest(body)}"` };
  },
};

function wholeNumber({ query }: MockRequest, name: string, fallback: number): number | Refusal {
  const text = query.get(name);
  const isRepeated = query.repeated.has(name);
  if (text === undefined && !isRepeated && !query.malformed) return fallback;
  if (!isRepeated && text !== undefined && /^0*[1-9]\d{0,14}$/.test(text)) return Number(text);
  return new Refusal('paging-whole-numbers', '400', `${name} must be a whole number, at least 1`);
}
