import type { Parameters } from '../http/parameters.js';
import { PAGE_PATHS } from '../http/paths.js';
import { representation } from '../http/response.js';
import { npiFrom } from '../options/npi.js';
import { Refusal, refuse } from '../protocol/refusal.js';
import type { Resource } from './resources.js';
import { type Spelling, wireMembers } from './wire-names.js';

/** One item of a colleague list (service spec: colleague list), without the photo. Some colleagues have no middle name. */
interface Colleague {
  readonly id: number;
  readonly npi: number;
  readonly firstName: string;
  readonly middleName?: string;
  readonly lastName: string;
  readonly credentials: string;
  readonly specialty: string;
  readonly zip: string;
}

const FIRST_NAMES = 'Amara Benoit Chloe Dario Esther Farid Greta Hugo Imani Jonas Keiko'.split(' ');
const LAST_NAMES = "Adeyemi Bergstrom Chandra Duarte O'Malley Fischer Garza Haddad Ito Kim-Lee".split(' ');
const SPECIALTIES = ['Anesthesiology', 'Cardiology', 'Dermatology', 'Emergency Medicine', 'Psychiatry'];
const CREDENTIALS = ['MD', 'DO', 'MD, PhD', 'NP', 'PA', 'PharmD', 'DNP'];
const FIRST_ID = 52_000_000_000;
/** The number of ids for the list of one clinician. */
const IDS_PER_OWNER = 1_000_000;

/** @returns the colleague at an index of a clinician's list. It is computed, and always the same. */
function generateColleague(ownerID: number, index: number): Colleague {
  const id = FIRST_ID + (ownerID % 1000) * IDS_PER_OWNER + index * 3 + 1;
  const pick = (list: readonly string[], salt: number) => list[scramble(index + salt * 7919) % list.length] as string;
  const random = scramble(index);
  return {
    id,
    npi: npiFrom(100_000_000 + (id % 100_000_000)),
    firstName: pick(FIRST_NAMES, 1),
    ...(random % 3 > 0 && { middleName: pick(FIRST_NAMES, 2) }),
    lastName: pick(LAST_NAMES, 3),
    credentials: pick(CREDENTIALS, 4),
    specialty: pick(SPECIALTIES, 5),
    zip: String(10_000 + (scramble(index + 13) % 89_999)),
  };
}

/** Computes a pseudo-random number: the finalizer of MurmurHash3. */
function scramble(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

/**
 * Creates GET /api/v1/colleagues (service spec: colleague list). The cost of a page of generated colleagues does not depend on
 * the length of the list.
 */
export function createColleagues(apiURL: string, spelling: Spelling): Resource {
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
      const totalPages = Math.max(1, Math.ceil(total / size));
      const list = { total_entries: total, current_page: page, total_pages: totalPages, per_page: size, items };
      return representation(JSON.stringify(list));
    },
  };
}

function wholeNumber(query: Parameters, name: string, fallback: number): number | Refusal {
  const text = query.get(name);
  const isRepeated = query.repeated.has(name);
  if (text === undefined && !isRepeated && !query.malformed) return fallback;
  if (!isRepeated && text !== undefined && /^0*[1-9]\d{0,14}$/.test(text)) return Number(text);
  return refuse('paging-whole-numbers', 400, `${name} must be a whole number, at least 1`);
}
