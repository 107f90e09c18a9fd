const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;
const MAX_DEPTH = 32;
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON object of at most 32 levels. Rejects a member name that is repeated, at any depth (RFC 7519 section 4, RFC 8259
 * section 4).
 * @returns undefined for any other text
 */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return hasUniqueNames(text) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Parses as {@link parseObject} does, from bytes: UTF-8 without a byte order mark. */
export function parseUTF8Object(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    return parseObject(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** @returns true for a member name that accesses a prototype when it is assigned. */
export function isPrototypeName(name: string): boolean {
  return PROTOTYPE_NAMES.has(name);
}

/** @returns the object without its undefined members. */
export function defined<O extends object>(object: O): { [K in keyof O]?: Exclude<O[K], undefined> } {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as { [K in keyof O]?: Exclude<O[K], undefined> };
}

/** Scans the tokens of valid JSON. The string after `{`, or after `,` in an object, is a member name. */
function hasUniqueNames(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  let nameMayFollow = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined);
      if (open.length > MAX_DEPTH) return false;
      nameMayFollow = token === '{';
    } else if (token === '}' || token === ']') {
      open.pop();
      nameMayFollow = false;
    } else if (token === ',') {
      nameMayFollow = true;
    } else if (nameMayFollow && token !== ':') {
      const names = open.at(-1);
      const name: string = JSON.parse(token);
      if (names?.has(name)) return false;
      names?.add(name);
      nameMayFollow = false;
    }
  }
  return true;
}
