import { argumentInvalid, ProtocolError } from '../errors/errors.js';
import { type JSONDocument, malformed, readJSONDocument } from '../http/json.js';
import { checkOptions } from '../options/option-table.js';
import type { OptionTable } from '../schema.js';
import { type AuthorizedFetch, type CallOptions, callOptionRules } from './authorized-fetch.js';
import { type Members, RESOURCE_TYPE, readMembers } from './json-members.js';

/**
 * One colleague of the signed-in user (service spec, "Colleague list"), in one spelling. There is no `raw`: data of
 * colleagues must not be stored, so only known members are returned.
 */
export interface Colleague {
  /** The service's integer, as a string. */
  id: string;
  npi?: number;
  firstName?: string;
  middleName?: string;
  lastName?: string;
  credentials?: string;
  specialty?: string;
  zip?: string;
  /** An https URL. Other URLs are dropped. */
  profilePhoto?: string;
}

/** One page of the list. A count is absent if the service sent none or an invalid one. */
export interface ColleaguePage {
  totalEntries?: number;
  /** The requested page, counted from 1. */
  currentPage: number;
  totalPages?: number;
  /** The page size that the service used: it may limit `perPage`. */
  perPage?: number;
  /** Without entries whose id is missing or not an integer. */
  items: Colleague[];
}

/** The options of `api.colleagues()` and of {@link Colleagues.page}. */
export interface ColleaguesOptions extends CallOptions {
  /** The page size. @default 30, the service's own, for `page()`; 100 for iterating over all */
  perPage?: number | undefined;
}

/**
 * Reads the colleagues of the signed-in user: page by page, or all of them with `for await`. They are not cached, and the site
 * must not store them (service spec, "Limits").
 */
export interface Colleagues extends AsyncIterable<Colleague> {
  /** @param number counted from 1 */
  page(number?: number, options?: ColleaguesOptions): Promise<ColleaguePage>;
}

const PER_PAGE = 100;
const COLLEAGUES: JSONDocument = { name: 'the list of colleagues', mediaType: RESOURCE_TYPE, maxSize: 500_000 };
/** Each page is one of the 5000 requests of an hour. */
const MAX_PAGES = 1_000;

const colleaguesOptions: OptionTable<ColleaguesOptions> = {
  ...callOptionRules,
  perPage: {
    type: 'a whole number, 1 or more',
    isValid: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  },
};

export function createColleagues(service: AuthorizedFetch, options?: ColleaguesOptions): Colleagues {
  const defaults = checkOptions(options, colleaguesOptions, 'colleagues()');

  async function readPage(number: number, options: ColleaguesOptions, isPaced: boolean): Promise<ColleaguePage> {
    const { perPage, signal, maxWait } = { ...defaults, ...options };
    const query = new URLSearchParams({ page: pageNumber(number) });
    if (perPage !== undefined) query.set('per_page', String(perPage));
    const headers = { 'cache-control': 'no-store' };
    const request = { scope: 'colleagues', headers, signal, maxWait, isPaced };
    const response = await service.get(`/api/v1/colleagues?${query}`, request);
    const { json } = await readJSONDocument(response, COLLEAGUES);
    return parsePage(json, number, service.apiURL);
  }

  // Ends with the first page without a new colleague, whatever total the service sends. A list that changes between two pages
  // repeats no colleague.
  async function* all(): AsyncGenerator<Colleague, void, undefined> {
    const seen = new Set<string>();
    const perPage = defaults.perPage ?? PER_PAGE;
    for (let number = 1; number <= MAX_PAGES; number += 1) {
      const page = await readPage(number, { perPage }, number > 1);
      const { items, totalPages = Number.POSITIVE_INFINITY, totalEntries = 0 } = page;
      const before = seen.size;
      for (const colleague of items) {
        if (seen.has(colleague.id)) continue;
        seen.add(colleague.id);
        yield colleague;
      }
      if (seen.size === before || (number >= totalPages && seen.size >= totalEntries)) return;
    }
    throw new ProtocolError('response_malformed', `The list of colleagues has more than ${MAX_PAGES} pages.`);
  }

  return {
    async page(number = 1, pageOptions = {}) {
      return readPage(number, checkOptions(pageOptions, colleaguesOptions, 'colleagues().page()'), false);
    },
    [Symbol.asyncIterator]: all,
  };
}

const COLLEAGUE: Members<Colleague> = {
  id: ['count', 'id'],
  npi: ['integer', 'npi'],
  firstName: ['string', 'first_name', 'firstname'],
  middleName: ['string', 'middle_name', 'middlename'],
  lastName: ['string', 'last_name', 'lastname'],
  credentials: ['string', 'credentials'],
  specialty: ['string', 'specialty'],
  zip: ['string', 'zip'],
  profilePhoto: ['image', 'profile_photo'],
};

const PAGE: Members<ColleaguePage> = {
  totalEntries: ['count', 'total_entries'],
  currentPage: ['integer', 'current_page'],
  totalPages: ['count', 'total_pages'],
  perPage: ['count', 'per_page'],
  items: [[COLLEAGUE], 'items'],
};

/** @throws ProtocolError `response_malformed` when it is not a list, or another page than the requested one */
function parsePage(json: object, requested: number, apiURL: string): ColleaguePage {
  const { items, currentPage = requested, ...counts } = readMembers(json, PAGE, apiURL);
  if (items === undefined) throw malformed(COLLEAGUES, 'is not a JSON object with a list of items');
  if (currentPage !== requested) throw malformed(COLLEAGUES, 'is not the requested page');
  const valid = items.filter(({ id }) => Number(id) > 0);
  return { currentPage, items: valid.map((item) => ({ ...item, id: String(item.id) })), ...counts };
}

function pageNumber(value: number): string {
  if (Number.isSafeInteger(value) && value >= 1) return String(value);
  throw argumentInvalid('colleagues().page() needs the number of the page, a whole number, 1 or more.');
}
