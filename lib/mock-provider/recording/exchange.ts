import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';

/** Describes one exchange with the provider, to be recorded. */
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

/** Lists parameters as name and value. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** Holds the parameters of a request and of the endpoint's response, parsed once. None of them is masked. */
export interface ExchangeParameters {
  readonly query: Pairs;
  readonly form: Pairs;
  /** Query and fragment of the Location. */
  readonly location: Pairs;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

const NO_PAIRS: Pairs = Object.freeze([]);

export function parametersOf({ http, originalResponse }: Exchange): ExchangeParameters {
  return {
    query: http.search === '' ? NO_PAIRS : http.query.entries(),
    form: http.isForm ? http.form.entries() : NO_PAIRS,
    location: locationParameters(originalResponse),
    body: readBody(originalResponse),
  };
}

function locationParameters({ headers: { Location: location } }: ProviderResponse): Pairs {
  const start = typeof location === 'string' ? location.search(/[?#]/) : -1;
  if (typeof location !== 'string' || start < 0) return NO_PAIRS;
  return [...location.slice(start).matchAll(/[?&#]([^=&#?]*)=([^&#]*)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
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
