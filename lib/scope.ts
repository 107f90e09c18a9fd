/** A scope as the set of its words; on the wire it is one space-delimited string (RFC 6749 section 3.3). */
export type Scope = readonly string[];

const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** @returns the words of a scope in their order, each once. Accepts the wire's string, an array of words, or nothing. */
export function parseScope(scope: string | readonly string[] | undefined): string[] {
  const words = typeof scope === 'string' ? scope.split(' ') : [...(scope ?? [])].flatMap((word) => word.split(' '));
  return [...new Set(words.filter((word) => word !== ''))];
}

/** @returns the scope as the wire's space-delimited string. */
export function formatScope(scope: Scope): string {
  return scope.join(' ');
}

/** @returns true when a word is a legal scope-token (RFC 6749 section 3.3). */
export function isScopeToken(word: string): boolean {
  return SCOPE_TOKEN.test(word);
}
