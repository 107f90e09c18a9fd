const LOOKS_LIKE_A_SLASH = /[\\\u2044\u2215\u29F5\u29F8\uFE68\uFF0F\uFF3C]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
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
 * @returns where to go after the login: the wanted path when it is one of this very origin, else `/`.
 * Never an address that any browser would read as another host's (`//x`, `/\x`, encoded forms of them, a scheme, a control character).
 */
export function returnToPath(wanted: unknown, origin: string): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH) return '/';
  if (!wanted.startsWith('/') || wanted.startsWith('//')) return '/';
  if (LOOKS_LIKE_A_SLASH.test(wanted) || CONTROL.test(wanted)) return '/';
  if (!URL.canParse(wanted, origin)) return '/';
  const url = new URL(wanted, origin);
  const path = decodedPath(url.pathname);
  if (url.origin !== origin || path === undefined) return '/';
  if (path.startsWith('//') || LOOKS_LIKE_A_SLASH.test(path) || CONTROL.test(path)) return '/';
  return url.pathname + url.search + url.hash;
}
