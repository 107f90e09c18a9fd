const HERE = 'https://relative.invalid';

/**
 * @returns the address where it is a path of this site or a whole http(s) URL, else the fallback: no link leads to `javascript:`,
 * and none that looks like a path leads elsewhere (`//host`). Judged by the URL parser, which reads as a browser does.
 */
export function linkTarget(address: string | undefined, fallback = '/'): string {
  return address !== undefined && (isWebAddress(address) || isPath(address)) ? address : fallback;
}

/** @returns true for a whole http(s) URL. */
export function isWebAddress(address: string | undefined): address is string {
  return address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address);
}

function isPath(address: string): boolean {
  return !URL.canParse(address) && URL.canParse(address, HERE) && new URL(address, HERE).origin === HERE;
}
