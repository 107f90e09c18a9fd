import type { IncomingHttpHeaders } from 'node:http';
import { MASK, maskName } from '../http/masking.js';
import type { ProviderResponse } from '../http/response.js';

const LONGEST = 100;
const MOST_COOKIES = 20;
/** What tells a browser from a site, and a page from a frame. */
const TELLING = ['accept', 'content-type', 'origin', 'sec-fetch-dest', 'user-agent'] as const;
const PRESENT_ONLY = ['if-none-match'] as const;
const NONE: readonly string[] = Object.freeze([]);

/** The last few that were made: a client sends the same with each request. No secret is in them. */
const recent: Readonly<Record<string, string>>[] = [];
const MOST_RECENT = 8;

/** @returns the few headers that are kept: an ETag is a digest of what somebody read, so that one was sent is all that is told. */
export function maskedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  for (const kept of recent) if (isSame(kept, headers)) return kept;
  const made = Object.freeze(keptOf(headers));
  if (recent.length >= MOST_RECENT) recent.shift();
  recent.push(made);
  return made;
}

function isSame(kept: Readonly<Record<string, string>>, headers: IncomingHttpHeaders): boolean {
  for (const name of TELLING) if (kept[name] !== headers[name]) return false;
  for (const name of PRESENT_ONLY) if ((kept[name] === undefined) !== (headers[name] === undefined)) return false;
  return true;
}

function keptOf(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of TELLING) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value.length > LONGEST ? `${value.slice(0, LONGEST)}...` : value;
  }
  for (const name of PRESENT_ONLY) if (headers[name] !== undefined) kept[name] = MASK;
  return kept;
}

/** @returns the names of the cookies that a browser sent. */
export function cookieNames(header: string | undefined): readonly string[] {
  if (header === undefined) return NONE;
  return header.split(';', MOST_COOKIES).map(cookieName);
}

/** @returns the names of the cookies that an answer sets. */
export function setCookieNames({ headers }: ProviderResponse): readonly string[] {
  const set = headers['Set-Cookie'];
  return set === undefined ? NONE : [set].flat().map(cookieName);
}

function cookieName(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  return /^ ?clinician_mock_\d{1,5}_[a-z_]{1,20}$/.test(name) ? name.trimStart() : maskName(name.trimStart());
}
