import { isClinicianError, ProtocolError, ServiceUnavailableError, summarizeError } from '../errors/errors.js';
import type { Fetch, FetchInit, FetchResponse } from './http.js';

/**
 * Sends a request to the service by the site's fetch, and follows no redirect.
 * @param secrets the credentials in the request, which no error may contain
 * @throws ServiceUnavailableError `service_unreachable` for an error of that fetch, ProtocolError `response_malformed`, or the
 * reason of the `signal`
 */
export async function sendRequest(
  fetch: Fetch,
  url: string,
  init: FetchInit = {},
  secrets: readonly string[] = [],
): Promise<FetchResponse> {
  let response: FetchResponse;
  try {
    response = await fetch(url, { ...init, redirect: 'manual' });
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    if (isClinicianError(error)) throw error;
    const cause = summarizeError(error, secrets);
    throw new ServiceUnavailableError('service_unreachable', `${originOf(url)} cannot be reached. Retry later.`, {
      cause,
    });
  }
  // A page at another address could then replace keys or a profile.
  if (response.redirected) {
    await response.body?.cancel();
    const message = `${originOf(url)} redirected a request, and the option "fetch" followed it. It must not follow redirects.`;
    throw new ProtocolError('response_malformed', message);
  }
  return response;
}

function originOf(url: string): string {
  return new URL(url).origin;
}
