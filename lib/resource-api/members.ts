import type { ProtocolError } from '../errors/errors.js';
import type { FetchResponse } from '../http/http.js';
import { defined, isPrototypeName, readJSONDocument } from '../http/json.js';

/** Such as `application/json` and `application/vnd.api+json`. */
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/;

/** @returns the JSON object of a response and its text. @throws the error that `malformed` creates from the reason */
export function readJSONResponse(
  response: FetchResponse,
  malformed: (reason: string) => ProtocolError,
  maxSize?: number,
): Promise<{ json: Record<string, unknown>; text: string }> {
  const document = { mediaType: JSON_TYPE, malformed: (reason: string) => malformed(`it ${reason}`) };
  return readJSONDocument(response, { ...document, ...defined({ maxSize }) });
}

const MAX_DEPTH = 32;

/** Reads the members of a JSON object by type. A member that is absent or of another type is undefined. */
export class Members {
  /** Every member as the service sent it, except names that access a prototype. */
  readonly raw: Record<string, unknown>;
  readonly #values: ReadonlyMap<string, unknown>;

  private constructor(raw: object) {
    this.raw = raw as Record<string, unknown>;
    this.#values = new Map(Object.entries(raw));
  }

  /** @returns undefined for a value that is not a JSON object of at most 32 levels. */
  static of(json: unknown): Members | undefined {
    const copy = isObject(json) ? copyOf(json, MAX_DEPTH) : undefined;
    return copy && new Members(copy);
  }

  /** @returns the first of these spellings that is a string. */
  string(...spellings: string[]): string | undefined {
    for (const name of spellings) {
      const value = this.#values.get(name);
      if (typeof value === 'string') return value;
    }
    return undefined;
  }

  /** @returns null for null, undefined for an absent member. */
  stringOrNull(...spellings: string[]): string | null | undefined {
    for (const name of spellings) {
      const value = this.#values.get(name);
      if (typeof value === 'string' || value === null) return value;
    }
    return undefined;
  }

  number(name: string): number | undefined {
    const value = this.#values.get(name);
    return Number.isFinite(value) ? (value as number) : undefined;
  }

  /** @returns true only for a member that is exactly `true`. */
  isTrue(name: string): boolean {
    return this.#values.get(name) === true;
  }

  /** @returns a safe integer. */
  integer(name: string): number | undefined {
    const value = this.#values.get(name);
    return Number.isSafeInteger(value) ? (value as number) : undefined;
  }

  /** @returns a safe integer of 0 or more. */
  count(name: string): number | undefined {
    const value = this.integer(name);
    return value !== undefined && value >= 0 ? value : undefined;
  }

  /** @returns the absolute URL of an image, which a page may contain: https, or at the API, which is http on loopback only. */
  imageURL(name: string, apiURL: string | undefined): string | undefined {
    const value = this.string(name);
    if (value === undefined || !URL.canParse(value)) return undefined;
    const { href, protocol } = new URL(value);
    const isOfAPI = apiURL !== undefined && href.startsWith(new URL('/', apiURL).href);
    return protocol === 'https:' || isOfAPI ? value : undefined;
  }

  strings(name: string): string[] | undefined {
    return this.#array(name)?.filter((item) => typeof item === 'string');
  }

  object<R>(name: string, convert: (members: Members) => R): R | undefined {
    const value = this.#values.get(name);
    return isObject(value) ? convert(new Members(value)) : undefined;
  }

  objects<R>(name: string, convert: (members: Members) => R): R[] | undefined {
    return this.#array(name)
      ?.filter(isObject)
      .map((item) => convert(new Members(item)));
  }

  #array(name: string): unknown[] | undefined {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value : undefined;
  }
}

/** @returns a copy without names that access a prototype, or undefined for more levels. */
function copyOf(value: object, levels: number): object | undefined {
  if (levels === 0) return undefined;
  const copy: Record<string, unknown> = Array.isArray(value) ? ([] as object as Record<string, unknown>) : {};
  for (const [name, member] of Object.entries(value)) {
    if (isPrototypeName(name)) continue;
    const isNested = typeof member === 'object' && member !== null;
    const copied: unknown = isNested ? copyOf(member, levels - 1) : member;
    if (isNested && copied === undefined) return undefined;
    copy[name] = copied;
  }
  return copy;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
