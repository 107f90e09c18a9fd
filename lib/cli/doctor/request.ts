import { isClinicianError } from '../../errors.js';
import type { Fetch, FetchInit } from '../../http.js';
import { parseObject } from '../../json.js';

/** What came back, and when it was asked for and answered, in milliseconds of the epoch. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Its body, where that is a JSON object. */
  readonly json: Record<string, unknown> | undefined;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** @returns the answer, or a sentence that says why there is none. */
export async function send(fetch: Fetch, url: string, init?: FetchInit): Promise<ServiceResponse | string> {
  const askedAt = Date.now();
  try {
    const response = await fetch(url, init);
    const answeredAt = Date.now();
    const json = parseObject(await response.text());
    return { status: response.status, headers: response.headers, json, askedAt, answeredAt };
  } catch (error) {
    if (isClinicianError(error)) return error.message;
    throw error;
  }
}

/** @returns an OAuth error code, when it is written as one: nothing else that a server says is repeated. */
export function errorCode(code: unknown): string | undefined {
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : undefined;
}
