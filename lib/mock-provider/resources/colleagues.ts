import type { Parameters } from '../http/parameters.js';
import { PAGE_PATHS } from '../http/paths.js';
import { jsonRepresentation } from '../http/response.js';
import { Refusal } from '../protocol/refusal.js';
import { generateColleague } from './generated-colleagues.js';
import type { Resource } from './resources.js';
import { type SpellingOption, wireMembers } from './wire-names.js';

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

/**
 * Creates GET /api/v1/colleagues (service spec: colleague list). The cost of a page of generated colleagues does not depend on
 * the length of the list.
 */
export function createColleagues({ spelling, apiURL }: SpellingOption & { apiURL: string }): Resource {
  return {
    scope: 'colleagues',
    read({ query }, { account }) {
      const page = wholeNumber(query, 'page', 1);
      const perPage = wholeNumber(query, 'per_page', DEFAULT_PER_PAGE);
      if (page instanceof Refusal) return page;
      if (perPage instanceof Refusal) return perPage;
      const size = Math.min(perPage, MAX_PER_PAGE);
      const total = account.fields.colleagueCount ?? 0;
      const first = (page - 1) * size;
      const items = Array.from({ length: Math.max(0, Math.min(size, total - first)) }, (_, index) => {
        const colleague = generateColleague(account.id, first + index);
        const profilePhoto = `${apiURL}${PAGE_PATHS.photo}?of=${colleague.id}`;
        return wireMembers({ middleName: '', ...colleague, profilePhoto }, spelling);
      });
      return jsonRepresentation({
        total_entries: total,
        current_page: page,
        total_pages: Math.max(1, Math.ceil(total / size)),
        per_page: size,
        items,
      });
    },
  };
}

function wholeNumber(query: Parameters, name: string, fallback: number): number | Refusal {
  const text = query.get(name);
  const isRepeated = query.repeated.has(name);
  if (text === undefined && !isRepeated && !query.malformed) return fallback;
  if (!isRepeated && text !== undefined && /^0*[1-9]\d{0,14}$/.test(text)) return Number(text);
  return new Refusal('paging-whole-numbers', '400', `${name} must be a whole number, at least 1`);
}
