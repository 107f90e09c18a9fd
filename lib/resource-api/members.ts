import type { ProtocolError } from '../errors.js';
import type { FetchResponse } from '../http.js';
import { defined, isPrototypeName } from '../json.js';
import { readJSONDocument } from '../json-document.js';

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

/** Reads the members of a JSON object by type. A member that is absent or of another type is undefined. */
export interface Members {
  /** Every member as the service sent it, except names that access a prototype. */
  readonly raw: Record<string, unknown>;
  /** @returns the first of these spellings that is a string. */
  string(...spellings: string[]): string | undefined;
  /** @returns null for null, undefined for an absent member. */
  stringOrNull(...spellings: string[]): string | null | undefined;
  number(name: string): number | undefined;
  /** @returns true only for an own member that is exactly `true`. */
  isTrue(name: string): boolean;
  /** @returns a safe integer. */
  integer(name: string): number | undefined;
  /** @returns a safe integer of 0 or more. */
  count(name: string): number | undefined;
  /** @returns an absolute https URL, which a page may contain. */
  httpsURL(name: string): string | undefined;
  strings(name: string): string[] | undefined;
  object<R>(name: string, convert: (members: Members) => R): R | undefined;
  objects<R>(name: string, convert: (members: Members) => R): R[] | undefined;
}

const MAX_DEPTH = 32;

/** @returns undefined for a value that is not a JSON object of at most 32 levels. */
export function membersOf(json: unknown): Members | undefined {
  return isObject(json) && !isDeeperThan(MAX_DEPTH, json)
    ? createReader(withoutPrototypeNames(json) as Record<string, unknown>)
    : undefined;
}

function createReader(raw: Record<string, unknown>): Members {
  function read<V>(spellings: readonly string[], isType: (value: unknown) => value is V): V | undefined {
    return spellings.map((name) => (Object.hasOwn(raw, name) ? raw[name] : undefined)).find(isType);
  }

  return {
    raw,
    string: (...spellings) => read(spellings, isString),
    stringOrNull: (...spellings) => read(spellings, isStringOrNull),
    isTrue: (name) => Object.hasOwn(raw, name) && raw[name] === true,
    number: (name) => read([name], isNumber),
    integer: (name) => read([name], isInteger),
    count: (name) => read([name], isCount),
    httpsURL: (name) => read([name], isHttpsURL),
    strings: (name) => read([name], Array.isArray)?.filter(isString),
    object(name, convert) {
      const value = read([name], isObject);
      return value && convert(createReader(value));
    },
    objects: (name, convert) =>
      read([name], Array.isArray)
        ?.filter(isObject)
        .map((item) => convert(createReader(item))),
  };
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(depth - 1, member));
}

function withoutPrototypeNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypeNames);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !isPrototypeName(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutPrototypeNames(member)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isStringOrNull(value: unknown): value is string | null {
  return value === null || isString(value);
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isCount(value: unknown): value is number {
  return isInteger(value) && value >= 0;
}

function isHttpsURL(value: unknown): value is string {
  return isString(value) && URL.canParse(value) && new URL(value).protocol === 'https:';
}
