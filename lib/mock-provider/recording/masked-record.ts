import type { IncomingHttpHeaders } from 'node:http';
import { isWords, MASK, type MaskID, maskName, maskParameters, maskPath, maskURL, schemeOf } from '../http/masking.js';
import { type Exchange, type ExchangeParameters, NO_MEMBERS, readBody } from './exchange.js';
import type { RecordedRequest } from './recorded-request.js';

const MAX_HEADER_LENGTH = 100;
const MAX_MEMBER_LENGTH = 200;
const MAX_COOKIES = 20;
const NO_NAMES: readonly string[] = Object.freeze([]);

/** What an exchange is recorded with that is not read from it. */
type RecordIdentity = Pick<RecordedRequest, 'number' | 'at' | 'clientID'> & {
  readonly [Name in 'login' | 'clinician' | 'fault']: RecordedRequest[Name] | undefined;
};

/** @returns the record of an exchange: every value that may be a secret is masked. */
export function maskedRecord(
  { number, at, clientID, login, clinician, fault }: RecordIdentity,
  { http, response, originalResponse }: Exchange,
  { query, form, body }: ExchangeParameters,
  maskID: MaskID,
): RecordedRequest {
  const { Location: location, 'Set-Cookie': setCookie } = response.headers;
  const masked = (parameters: ReadonlyMap<string, string>) =>
    parameters.size === 0 ? NO_MEMBERS : maskParameters(parameters, maskID);
  const record: Writable<RecordedRequest> = {
    number,
    at,
    method: isWords(http.method) ? http.method : '?',
    path: maskPath(http.path),
    query: masked(query),
    form: masked(form),
    authorization: schemeOf(http.headers.authorization),
    headers: maskedHeaders(http.headers),
    cookies: http.headers.cookie?.split(';', MAX_COOKIES).map(cookieName) ?? NO_NAMES,
    setCookies: setCookie === undefined ? NO_NAMES : [setCookie].flat().map(cookieName),
    status: response.status,
    location: typeof location === 'string' ? maskURL(location) : undefined,
    response: harmlessMembers(response === originalResponse ? body : readBody(response)),
    clientID,
  };
  if (login !== undefined) record.login = login;
  if (clinician !== undefined) record.clinician = clinician;
  if (fault !== undefined) record.fault = fault;
  return record;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The members of a token response that are no secrets. */
export const HARMLESS_MEMBERS: readonly string[] = ['error', 'error_description', 'expires_in', 'scope', 'token_type'];

function harmlessMembers(body: ExchangeParameters['body']): Record<string, string | number> {
  if (body === undefined) return NO_MEMBERS;
  const members: Record<string, string | number> = {};
  for (const name of HARMLESS_MEMBERS) {
    const value = body[name];
    if (typeof value === 'number') members[name] = value;
    else if (typeof value === 'string') members[name] = value.slice(0, MAX_MEMBER_LENGTH);
  }
  return members;
}

/** They distinguish a browser from a site, and a page from a frame. */
const SHOWN_HEADERS = ['accept', 'content-type', 'origin', 'sec-fetch-dest', 'user-agent'] as const;

function maskedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const masked: Record<string, string> = {};
  for (const name of SHOWN_HEADERS) {
    const value = headers[name];
    if (typeof value !== 'string') continue;
    masked[name] = value.length > MAX_HEADER_LENGTH ? `${value.slice(0, MAX_HEADER_LENGTH)}...` : value;
  }
  if (headers['if-none-match'] !== undefined) masked['if-none-match'] = MASK;
  return masked;
}

function cookieName(pair: string): string {
  const [name = ''] = pair.trimStart().split('=', 1);
  const [, own] = /^(clinician_mock_\d{1,5}_[a-z_]{1,20})(?:\.[\w-]+)?$/.exec(name) ?? [];
  return own ?? maskName(name);
}
