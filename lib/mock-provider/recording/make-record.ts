import { isWords, type MaskID, maskParameters, maskPath, maskURL, schemeOf } from '../http/masking.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';
import { cookieNames, maskedHeaders, setCookieNames } from './masked-headers.js';
import type { Pairs } from './observation.js';
import type { RecordedRequest } from './recorded-request.js';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

/** One exchange as it is to be recorded. */
export interface Exchange {
  readonly http: MockRequest;
  /** What went out. */
  readonly answer: ProviderResponse;
  /** What the endpoint answered, before a fault spoilt it. @default answer */
  readonly meant?: ProviderResponse;
  readonly clientID: string | undefined;
  /** Who is signed in at the provider with this browser. */
  readonly clinician?: string | undefined;
  readonly refusal?: Refusal | undefined;
  readonly fault?: string | undefined;
}

interface Made {
  readonly number: number;
  readonly at: number;
  readonly exchange: Exchange & { readonly meant: ProviderResponse };
  readonly query: Pairs;
  readonly form: Pairs;
  /** Of what was meant. */
  readonly location: string | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly login: number | undefined;
  readonly maskID: MaskID;
}

/** @returns what is told of an exchange. */
export function makeRecord(made: Made): RecordedRequest {
  const { number, at, exchange, query, form, location, body, login, maskID } = made;
  const { http, answer, meant, clientID, clinician, fault } = exchange;
  const record: Mutable<RecordedRequest> = {
    number,
    at,
    method: isWords(http.method) ? http.method : '?',
    path: maskPath(http.path),
    query: query.length === 0 ? NOTHING : maskParameters(query, maskID),
    form: form.length === 0 ? NOTHING : maskParameters(form, maskID),
    authorization: schemeOf(http.headers.authorization),
    headers: maskedHeaders(http.headers),
    cookies: cookieNames(http.headers.cookie),
    setCookies: setCookieNames(answer),
    status: answer.status,
    location: answer === meant ? location : locationOf(answer),
    answer: harmless(answer === meant ? body : jsonOf(answer)),
    clientID,
  };
  if (login !== undefined) record.login = login;
  if (clinician !== undefined) record.clinician = clinician;
  if (fault !== undefined) record.fault = fault;
  return record;
}

/** @returns the masked Location; `said` gets what its parameters say. */
export function locationOf({ headers }: ProviderResponse, said?: [string, string][]): string | undefined {
  const location = headers.Location;
  if (typeof location !== 'string') return undefined;
  return maskURL(location, said && ((name, value) => said.push([name, value])));
}

/** What is read of bodies at all: token responses and errors. A profile is not looked at. */
export function jsonOf({ status, headers, body }: ProviderResponse): Readonly<Record<string, unknown>> | undefined {
  if (status < 400 && headers.Pragma === undefined) return undefined;
  if (!body.startsWith('{')) return undefined;
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined; // a fault spoilt it
  }
}

const HARMLESS = ['error', 'error_description', 'expires_in', 'scope', 'token_type'];
const LONGEST = 200;

function harmless(body: Readonly<Record<string, unknown>> | undefined): Record<string, string | number> {
  if (body === undefined) return NOTHING;
  const kept: Record<string, string | number> = {};
  for (const name of HARMLESS) {
    const value = body[name];
    if (typeof value === 'number') kept[name] = value;
    else if (typeof value === 'string') kept[name] = value.slice(0, LONGEST);
  }
  return kept;
}

/** @returns when a rate limit ends that an answer speaks of. */
export function rateLimitedUntil({ status, headers }: ProviderResponse): number | undefined {
  return status === 429 ? Number(headers['X-Rate-Limit-Reset']) * 1000 : undefined;
}
