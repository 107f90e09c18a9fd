import type { Cookies } from '../http/cookies.js';
import { parseParameters } from '../http/parameters.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { readBasic } from '../protocol/client-authentication.js';
import { decodeUnverifiedClaims } from '../protocol/id-token.js';
import { Refusal } from '../protocol/refusal.js';
import type { Grant } from '../state/grants.js';
import type { SessionStore } from '../state/sessions.js';

/** One exchange with the provider, to be recorded. */
export interface Exchange {
  readonly http: MockRequest;
  /** The response that the client receives. */
  readonly response: ProviderResponse;
  /** The response before a fault changed, delayed or lost it. */
  readonly originalResponse: ProviderResponse;
  readonly clientID: string | undefined;
  /** The username of the clinician who is signed in at the provider in this browser. */
  readonly clinician: string | undefined;
  readonly refusal: Refusal | undefined;
  readonly fault: string | undefined;
}

/** The parameters of a request and of the endpoint's response, parsed once. None of them is masked. */
export interface ExchangeParameters {
  readonly query: ReadonlyMap<string, string>;
  readonly form: ReadonlyMap<string, string>;
  /** Those of the Location. A repeated one has a list of values. */
  readonly location: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

const NO_FORM: ExchangeParameters['form'] = new Map();
/** Shared, because most exchanges have none. */
export const NO_MEMBERS: Readonly<Record<string, never>> = Object.freeze({});

export function parametersOf({ http, originalResponse }: Exchange): ExchangeParameters {
  return {
    query: http.query.values,
    form: http.isForm ? http.form.values : NO_FORM,
    location: locationParameters(originalResponse),
    body: originalResponse.members ?? readBody(originalResponse),
  };
}

/** @returns the first of the values of a parameter: a fault can repeat it. */
export function firstValue(values: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = values[name];
  return Array.isArray(value) ? value[0] : value;
}

function locationParameters({ clientRedirect, headers }: ProviderResponse): ExchangeParameters['location'] {
  if (clientRedirect !== undefined) return clientRedirect.parameters;
  return headers.Location === undefined ? NO_MEMBERS : redirectParameters(headers.Location);
}

/** @returns the parameters in the query and in the fragment of a Location. */
export function redirectParameters(location: unknown): Record<string, string> {
  const [, ...encoded] = String(location ?? '').split(/[?#]/);
  return Object.fromEntries(parseParameters(...encoded).values);
}

/** @returns the JSON of a token response or an error. Other bodies, such as profiles, are not read. */
export function readBody({ status, headers, body }: ProviderResponse): ExchangeParameters['body'] {
  if (status < 400 && headers.Pragma === undefined) return undefined;
  if (!body.startsWith('{')) return undefined;
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined; // Altered by a fault.
  }
}

/** @returns the client of the access token in a request, otherwise the client_id that it names, not verified: for faults and records only. */
export function clientOfRequest(http: MockRequest, grant: Grant | undefined): string | undefined {
  const clientID = grant?.client.id ?? parameter(http, 'client_id');
  if (clientID !== undefined) return clientID;
  if (http.path === PATHS.logout) return authorizedParty(parameter(http, 'id_token_hint'));
  const credentials = http.basic && readBasic(http.basic);
  return credentials === undefined || credentials instanceof Refusal ? undefined : credentials.id;
}

function parameter(http: MockRequest, name: string): string | undefined {
  return http.query.get(name) ?? (http.isForm ? http.form.get(name) : undefined);
}

function authorizedParty(idToken: string | undefined): string | undefined {
  const azp = idToken === undefined ? undefined : decodeUnverifiedClaims(idToken).azp;
  return typeof azp === 'string' ? azp : undefined;
}

/** @returns the username of the clinician who is signed in at the provider in this browser, after the response. */
export function signedInUsername(
  http: MockRequest,
  { headers }: ProviderResponse,
  { cookies, sessions }: { cookies: Cookies; sessions: SessionStore },
): string | undefined {
  const { 'Set-Cookie': lines } = headers;
  const id = (lines && sessionSetBy([lines].flat(), cookies)) || cookies.read(http, 'session');
  return sessions.byID(id)?.account.username;
}

function sessionSetBy(setCookies: readonly string[], cookies: Cookies): string | undefined {
  const start = `${cookies.nameOf('session')}=`;
  const set = setCookies.find((line) => line.startsWith(start));
  return set?.slice(start.length).split(';', 1)[0];
}
