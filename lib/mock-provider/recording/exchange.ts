import { parseParameters } from '../http/parameters.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';

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
const NO_MEMBERS: Readonly<Record<string, never>> = Object.freeze({});

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
  const start = typeof headers.Location === 'string' ? headers.Location.indexOf('?') : -1;
  if (start < 0) return NO_MEMBERS;
  return Object.fromEntries(parseParameters(String(headers.Location).slice(start + 1)).values);
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
