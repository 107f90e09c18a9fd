/** The members of one JSON object, read by type: absent or of another type is undefined, null is null. */
export interface Members {
  /** Every member as it came, except the names that would reach a prototype. */
  readonly raw: Record<string, unknown>;
  /** Where several spellings are given, the first that is there wins. */
  string(...spellings: string[]): string | null | undefined;
  number(name: string): number | null | undefined;
  /** An integer that JavaScript keeps exactly; another one is undefined. */
  integer(name: string): number | null | undefined;
  strings(name: string): string[] | null | undefined;
  object<R>(name: string, read: (members: Members) => R): R | null | undefined;
  objects<R>(name: string, read: (members: Members) => R): R[] | null | undefined;
}

const DEEPEST = 32;
const REACHES_A_PROTOTYPE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** @returns nothing for what is no JSON object, or is nested so deeply that whoever walks it would fall. */
export function membersOf(json: unknown): Members | undefined {
  return isObject(json) && !isDeeperThan(DEEPEST, json) ? reader(clean(json) as Record<string, unknown>) : undefined;
}

function reader(raw: Record<string, unknown>): Members {
  /** Null stays null, what fits is handed on, everything else counts as absent. */
  function read<V, R>(
    name: string,
    fits: (value: unknown) => value is V,
    convert: (value: V) => R,
  ): R | null | undefined {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (value === null) return null;
    return fits(value) ? convert(value) : undefined;
  }

  return {
    raw,
    string: (...spellings) => spellings.map((name) => read(name, isString, same)).find((value) => value !== undefined),
    number: (name) => read(name, isNumber, same),
    integer: (name) => read(name, isInteger, same),
    strings: (name) => read(name, Array.isArray, (items) => items.filter(isString)),
    object: (name, convert) => read(name, isObject, (value) => convert(reader(value))),
    objects: (name, convert) =>
      read(name, Array.isArray, (items) => items.filter(isObject).map((item) => convert(reader(item)))),
  };
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(depth - 1, member));
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !REACHES_A_PROTOTYPE.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, clean(member)]));
}

function same<V>(value: V): V {
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
