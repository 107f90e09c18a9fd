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
  try {
    for (const name in types) {
      const type: string = types[name];
      const member: unknown = (value as T)[name];
      const expected = type.replace('?', '');
      if (member === undefined && type !== expected) continue;
      const isList = Array.isArray(member);
      const isOther = expected === 'text' ? typeof member !== 'string' || member === '' : typeof member !== expected;
      if (expected === 'strings' ? !isList : isList || isOther || member === null) return false;
      if (expected === 'number' && !Number.isFinite(member)) return false;
      if (isList) for (const item of member) if (typeof item !== 'string') return false;
    }
    return true;
  } catch {
    // An object of a store without JSON can have a getter that throws.
    return false;
  }
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
