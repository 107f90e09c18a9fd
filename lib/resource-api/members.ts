/** The members of one JSON object, read by type. What is absent, or of another type, is undefined. */
export interface Members {
  /** Every member as it came, except the names that would reach a prototype. */
  readonly raw: Record<string, unknown>;
  /** Where several spellings are given, the first that fits wins. */
  string(...spellings: string[]): string | undefined;
  /** Absent is not null: null stays null. */
  stringOrNull(...spellings: string[]): string | null | undefined;
  number(name: string): number | undefined;
  /** True for exactly `true` of the object's own. */
  isTrue(name: string): boolean;
  /** An integer that JavaScript keeps exactly; another one is undefined. */
  integer(name: string): number | undefined;
  /** An integer that is not negative. */
  count(name: string): number | undefined;
  /** An absolute https address. Any other is undefined, so that a page may show it. */
  httpsURL(name: string): string | undefined;
  strings(name: string): string[] | undefined;
  object<R>(name: string, convert: (members: Members) => R): R | undefined;
  objects<R>(name: string, convert: (members: Members) => R): R[] | undefined;
}

const DEEPEST = 32;
const REACHES_A_PROTOTYPE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** @returns nothing for what is no JSON object, or is nested so deeply that whoever walks it would fall. */
export function membersOf(json: unknown): Members | undefined {
  return isObject(json) && !isDeeperThan(DEEPEST, json) ? reader(clean(json) as Record<string, unknown>) : undefined;
}

function reader(raw: Record<string, unknown>): Members {
  function read<V>(spellings: readonly string[], fits: (value: unknown) => value is V): V | undefined {
    return spellings.map((name) => (Object.hasOwn(raw, name) ? raw[name] : undefined)).find(fits);
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
      return value && convert(reader(value));
    },
    objects: (name, convert) =>
      read([name], Array.isArray)
        ?.filter(isObject)
        .map((item) => convert(reader(item))),
  };
}

/** @returns the object without its undefined members, so that absent stays absent. */
export function defined<O extends object>(object: O): { [K in keyof O]?: Exclude<O[K], undefined> } {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as { [K in keyof O]?: Exclude<O[K], undefined> };
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
