import type { Parameters } from '../http/parameters.js';
import { jsonRepresentation } from '../http/response.js';
import { Refusal } from '../protocol/refusal.js';
import type { Account } from '../state/account.js';
import type { AccountStore } from '../state/accounts.js';
import { type Colleague, generateColleague } from './generated-colleagues.js';
import type { Resource } from './resources.js';
import { withUnsetMembers } from './unset-members.js';
import { type SpellingOption, wireMembers } from './wire-names.js';

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

/**
 * Creates GET /api/v1/colleagues (service spec: colleague list). The cost of a page of generated colleagues does not depend on
 * the length of the list.
 */
export function createColleagues({ spelling }: SpellingOption, accounts: Pick<AccountStore, 'byUsername'>): Resource {
  /** @returns the colleagues that a clinician was added with, by id; undefined if all are generated. */
  function ownColleagues({ id, colleagues }: Account): readonly Partial<Colleague>[] | undefined {
    return colleagues
      ?.map((one, index) => {
        if (typeof one !== 'string') return { ...generateColleague(id, index), ...one };
        const account = accounts.byUsername(one);
        return account === undefined ? generateColleague(id, index) : colleagueOf(account);
      })
      .sort((one, other) => (one.id ?? 0) - (other.id ?? 0));
  }

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
      const own = ownColleagues(account);
      const items = Array.from({ length: Math.max(0, Math.min(size, total - first)) }, (_, index) => {
        const colleague = own?.[first + index] ?? generateColleague(account.id, first + index);
        return wireMembers({ middleName: '', ...colleague }, spelling);
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

/** @returns the entry of a clinician who has an account. */
function colleagueOf(account: Account): Partial<Colleague> {
  const { npi, firstName, middleName, lastName, credentials, specialty, zip, profilePhoto } = withUnsetMembers(account);
  const members = { npi, firstName, middleName, lastName, credentials, specialty, zip, profilePhoto };
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return { id: account.id, ...Object.fromEntries(set) };
}

function wholeNumber(query: Parameters, name: string, fallback: number): number | Refusal {
  const text = query.get(name);
  const isRepeated = query.repeated.has(name);
  if (text === undefined && !isRepeated && !query.malformed) return fallback;
  if (!isRepeated && text !== undefined && /^0*[1-9]\d{0,14}$/.test(text)) return Number(text);
  return new Refusal('paging-whole-numbers', '400', `${name} must be a whole number, at least 1`);
}
