import { isClinicianError } from '../../errors.js';
import type { Fetch, FetchInit } from '../../http.js';
import { parseObject } from '../../json.js';

/** Holds a response of the service. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body, if it is a JSON object. */
  readonly json: Record<string, unknown> | undefined;
}

/** @returns the response, or the message of a network error. */
export async function send(fetch: Fetch, url: string, init?: FetchInit): Promise<ServiceResponse | string> {
  try {
    const response = await fetch(url, init);
    const json = parseObject(await response.text());
    return { status: response.status, headers: response.headers, json };
  } catch (error) {
    if (isClinicianError(error)) return error.message;
    throw error;
  }
}

/** @returns an OAuth error code in its usual form. No other text from the service is printed. */
export function errorCode(code: unknown): string | undefined {
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : undefined;
}
