/**
 * @returns the address where it is a path or an http(s) URL, else the fallback: no link leads to `javascript:` or `data:`.
 * Judged by the URL parser, which drops tabs and newlines as a browser does.
 */
export function linkTarget(address: string | undefined, fallback = '/'): string {
  if (address === undefined || !URL.canParse(address, RELATIVE)) return fallback;
  return ['http:', 'https:'].includes(new URL(address, RELATIVE).protocol) ? address : fallback;
}

const RELATIVE = 'https://relative.invalid';
