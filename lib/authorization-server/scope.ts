/** Describes a scope as the list of its tokens. On the wire it is one space-delimited string (RFC 6749 section 3.3). */
export type Scope = readonly string[];

const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** @returns the tokens of a scope in their order, each once. Accepts the string of the wire, an array, or undefined. */
export function parseScope(scope: string | readonly string[] | undefined): string[] {
  if (scope === undefined) return [];
  const text = typeof scope === 'string' ? scope : scope.join(' ');
  return [...new Set(text.split(' '))].filter((token) => token !== '');
}

/** @returns the space-delimited string of the wire. */
export function formatScope(scope: Scope): string {
  return scope.join(' ');
}

/** @returns true for a valid scope-token (RFC 6749 section 3.3). */
export function isScopeToken(text: string): boolean {
  return SCOPE_TOKEN.test(text);
}
