import { isClinicianError } from '../../errors/errors.js';
import type { Fetch, FetchInit, FetchResponse } from '../../http/http.js';
import { sendRequest } from '../../http/send-request.js';

/** @returns the response, or the message of a network error. */
export async function send(fetch: Fetch, url: string, init?: FetchInit): Promise<FetchResponse | string> {
  try {
    return await sendRequest(fetch, url, init);
  } catch (error) {
    if (isClinicianError(error)) return error.message;
    throw error;
  }
}

/** @returns an OAuth error code in its usual form. No other text from the service is printed. */
export function errorCode(code: unknown): string | undefined {
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : undefined;
}
