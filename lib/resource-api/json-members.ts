import { PROTOTYPE_NAMES } from '../http/json.js';

/** Such as `application/json` and `application/vnd.api+json`. */
export const RESOURCE_TYPE: RegExp = /^application\/(?:[\w.+-]+\+)?json$/;

/** A count is a safe integer of 0 or more; an image is the URL of one, which a page may contain. */
type MemberType = 'string' | 'string or null' | 'number' | 'integer' | 'count' | 'strings' | 'image';

/**
 * How a member is read: its type, which for an object is its own members and for a list of objects an array of them, and its
 * spellings in the JSON of the service. The first spelling with a value of the type takes precedence.
 */
type Member = readonly [type: MemberType | MemberTable | readonly [MemberTable], ...spellings: string[]];
interface MemberTable {
  readonly [name: string]: Member;
}

/** How each member of an object is read. */
export type Members<T> = { readonly [Name in keyof T]-?: Member };

/** @returns the members of a JSON object, without those that are absent or of another type. */
export function readMembers<T>(json: object, table: Members<T>, apiURL?: string): Partial<T> {
  const members: Record<string, unknown> = {};
  for (const [name, [type, ...spellings]] of Object.entries<Member>(table)) {
    for (const spelling of spellings) {
      const value = Object.hasOwn(json, spelling) ? (json as Record<string, unknown>)[spelling] : undefined;
      if (value === undefined) continue;
      const isText = typeof value === 'string' && (type === 'string' || type === 'string or null');
      const member = isText ? value : convert(value, type, apiURL);
      if (member === undefined) continue;
      members[name] = member;
      break;
    }
  }
  return members as Partial<T>;
}

function convert(value: unknown, type: Member[0], apiURL: string | undefined): unknown {
  if (type === 'string or null') return value === null ? null : undefined;
  if (type === 'number') return Number.isFinite(value) ? value : undefined;
  if (type === 'integer') return Number.isSafeInteger(value) ? value : undefined;
  if (type === 'count') return Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined;
  if (type === 'image') return isImageURL(value, apiURL) ? value : undefined;
  if (type === 'string') return undefined;
  const isList = type === 'strings' || Array.isArray(type);
  if (!isList) return isObject(value) ? readMembers(value, type as MemberTable, apiURL) : undefined;
  if (!Array.isArray(value)) return undefined;
  const items: unknown[] = [];
  for (const item of value) {
    if (type === 'strings' && typeof item === 'string') items.push(item);
    else if (type !== 'strings' && isObject(item)) items.push(readMembers(item, type[0] as MemberTable, apiURL));
  }
  return items;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns true for an absolute URL on https, or at the API, which is on plain http on loopback only. */
function isImageURL(value: unknown, apiURL: string | undefined): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { href, protocol } = new URL(value);
  return protocol === 'https:' || (apiURL !== undefined && href.startsWith(new URL('/', apiURL).href));
}

/** Removes the members whose names access a prototype, at any depth, from parsed JSON. Its reader has limited its depth. */
export function removePrototypeNames(json: object): void {
  for (const name of PROTOTYPE_NAMES) if (Object.hasOwn(json, name)) delete (json as Record<string, unknown>)[name];
  for (const value of Object.values(json)) if (typeof value === 'object' && value !== null) removePrototypeNames(value);
}
