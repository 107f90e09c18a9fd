const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;
const DEEPEST = 32;

/**
 * Reads a JSON object, and nothing looser: no array, no `null`, no member named twice at any depth (RFC 7519 section 4,
 * RFC 8259 section 4), no nesting deeper than any honest answer's.
 * @returns undefined for anything else.
 */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return namesAreUnique(text) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Walks the tokens of text that is known to be JSON. A string is a name when it opens an object's member. */
function namesAreUnique(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  let nameMayFollow = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined);
      if (open.length > DEEPEST) return false;
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
