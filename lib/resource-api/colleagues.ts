import { ConfigurationError, ProtocolError } from '../errors.js';
import type { AuthorizedFetch, CallOptions } from './authorized-fetch.js';
import { readJSONResponse } from './json-response.js';
import { defined, type Members, membersOf } from './members.js';

/**
 * One colleague of the signed-in person (service spec, "Colleague list"), in one spelling. Members that nobody here knows are
 * left out rather than kept beside: of colleagues nothing may be stored, so nothing is handed on that was not asked for.
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
  /** Always https; another address is dropped. */
  profilePhoto?: string;
}

/** One page of the list. A count that the service did not send, or that cannot be one, is absent. */
export interface ColleaguePage {
  totalEntries?: number;
  /** Counted from 1: the page that was asked for. */
  currentPage: number;
  totalPages?: number;
  /** What the service made of `perPage`: it may have a limit of its own. */
  perPage?: number;
  /** Without the entries that name nobody, because their id is missing or no integer. */
  items: Colleague[];
}

export interface ColleaguesOptions extends CallOptions {
  /** How many to ask for at once. @default 30, the service's own, for `page()`; 100 for going through all of them */
  perPage?: number | undefined;
}

/**
 * The colleagues of the signed-in person: page by page, or all of them by `for await`.
 * Nothing of them is cached here, and nothing may be stored by the site (service spec, "Limits").
 */
export interface Colleagues extends AsyncIterable<Colleague> {
  /** @param number counted from 1 */
  page(number?: number, options?: ColleaguesOptions): Promise<ColleaguePage>;
}

const PER_PAGE = 100;
/** More pages than anybody has colleagues for; each one costs a request of the hour's five thousand. */
const MOST_PAGES = 1_000;

export function createColleagues(authorizedFetch: AuthorizedFetch, given: ColleaguesOptions = {}): Colleagues {
  async function page(number = 1, options: ColleaguesOptions = {}): Promise<ColleaguePage> {
    const { perPage, signal, maxWait } = { ...given, ...options };
    const query = new URLSearchParams({ page: wholeNumber('the page', number) });
    if (perPage !== undefined) query.set('per_page', wholeNumber('perPage', perPage));
    const headers = { 'cache-control': 'no-store' };
    const call = { scope: 'colleagues', headers, signal, maxWait };
    const response = await authorizedFetch(`/api/v1/colleagues?${query}`, call);
    return parseColleaguePage((await readJSONResponse(response, malformed)).json, number);
  }

  // It goes on no longer than the service brings somebody new, whatever that says of the length of its list; and a list that
  // moves between two pages names nobody twice.
  async function* everybody(): AsyncGenerator<Colleague, void, undefined> {
    const seen = new Set<string>();
    for (let number = 1; number <= MOST_PAGES; number += 1) {
      const {
        items,
        totalPages = Number.POSITIVE_INFINITY,
        totalEntries = 0,
      } = await page(number, {
        perPage: given.perPage ?? PER_PAGE,
      });
      const before = seen.size;
      for (const colleague of items) {
        if (seen.has(colleague.id)) continue;
        seen.add(colleague.id);
        yield colleague;
      }
      if (seen.size === before || (number >= totalPages && seen.size >= totalEntries)) return;
    }
    throw new ProtocolError('colleagues_endless', `The service's list of colleagues has no end: ${MOST_PAGES} pages.`);
  }

  return { page, [Symbol.asyncIterator]: everybody };
}

/**
 * Reads a page in both of the spec's spellings.
 * @throws ProtocolError `colleagues_malformed` when it is no list, or says that it is another page than the one asked for
 */
export function parseColleaguePage(json: unknown, asked: number): ColleaguePage {
  const wire = membersOf(json);
  const items = wire?.objects('items', colleague);
  if (wire === undefined || items === undefined) throw malformed('it is not a JSON object with a list of items');
  if ((wire.integer('current_page') ?? asked) !== asked) throw malformed('it is another page than the one asked for');
  return {
    currentPage: asked,
    items: items.filter((item) => item !== undefined),
    ...defined({
      totalEntries: wire.count('total_entries'),
      totalPages: wire.count('total_pages'),
      perPage: wire.count('per_page'),
    }),
  };
}

function colleague(wire: Members): Colleague | undefined {
  const id = wire.count('id');
  if (id === undefined || id === 0) return undefined;
  return {
    id: String(id),
    ...defined({
      npi: wire.integer('npi'),
      firstName: wire.string('first_name', 'firstname'),
      middleName: wire.string('middle_name', 'middlename'),
      lastName: wire.string('last_name', 'lastname'),
      credentials: wire.string('credentials'),
      specialty: wire.string('specialty'),
      zip: wire.string('zip'),
      profilePhoto: wire.httpsURL('profile_photo'),
    }),
  };
}

function wholeNumber(what: string, value: number): string {
  if (Number.isSafeInteger(value) && value >= 1) return String(value);
  throw new ConfigurationError('option_invalid', `colleagues(): ${what} must be a whole number from 1 on.`);
}

function malformed(why: string): ProtocolError {
  return new ProtocolError('colleagues_malformed', `The service's list of colleagues is refused: ${why}.`);
}
