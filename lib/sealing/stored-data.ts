/** A text is a string that is not empty, a number is finite, an object is not an array. With `?` the member may be absent. */
type MemberType = 'text' | 'string' | 'number' | 'boolean' | 'object' | 'strings';
/** The type of each member of stored data. */
export type MemberTypes<T> = { readonly [Name in keyof T]-?: MemberType | `${MemberType}?` };

/**
 * @returns true for an object with these members. Stored data can be of another version of this package, or of another program that
 * writes to the same store.
 */
export function hasMembers<T>(value: unknown, types: MemberTypes<T>): value is T {
  if (typeof value !== 'object' || value === null) return false;
  for (const name in types) {
    const type: string = types[name];
    const member: unknown = (value as T)[name];
    if (member === undefined && type.endsWith('?')) continue;
    const expected = type.replace('?', '');
    if (expected === 'strings') {
      if (!Array.isArray(member)) return false;
      for (const item of member) if (typeof item !== 'string') return false;
      continue;
    }
    if (Array.isArray(member)) return false;
    if (expected === 'text' ? typeof member !== 'string' || member === '' : typeof member !== expected) return false;
    if (member === null || (expected === 'number' && !Number.isFinite(member))) return false;
  }
  return true;
}

/** @returns stored JSON with these members; undefined for any other text. */
export function parseStored<T>(text: string, types: MemberTypes<T>): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return hasMembers(value, types) ? value : undefined;
  } catch {
    return undefined;
  }
}
