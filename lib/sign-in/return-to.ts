const SLASH_LIKE = /[\\\u2044\u2215\u29F5\u29F8\uFE68\uFF0F\uFF3C]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;
const MAX_LENGTH = 2048;

function decodedPath(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

/**
 * @returns the path to redirect to after the login: the requested one when it belongs to this origin, else `/`.
 * Never a URL that a browser resolves to another host (`//x`, `/\x`, their encoded forms, a scheme, a control character).
 */
export function returnToPath(requested: unknown, origin: string): string {
  if (typeof requested !== 'string' || requested.length > MAX_LENGTH) return '/';
  if (!requested.startsWith('/') || requested.startsWith('//')) return '/';
  if (SLASH_LIKE.test(requested) || CONTROL.test(requested)) return '/';
  if (!URL.canParse(requested, origin)) return '/';
  const url = new URL(requested, origin);
  const path = decodedPath(url.pathname);
  if (url.origin !== origin || path === undefined) return '/';
  if (path.startsWith('//') || SLASH_LIKE.test(path) || CONTROL.test(path)) return '/';
  return url.pathname + url.search + url.hash;
}
