import type { Clock } from '../clock.js';
import {
  DeniedError,
  isClinicianError,
  ProtocolError,
  ServiceUnavailableError,
  SignInRequiredError,
} from '../errors.js';
import type { Fetch } from '../http.js';
import { RateLimitedError, resetTime } from './rate-limit.js';

/** Where access tokens come from. The token vault fits it, for one grant. */
export interface AccessTokens {
  /** @param refused the access token that the service has just answered with 401 */
  accessToken(refused?: string): Promise<string>;
}

export interface ResourceRequest {
  /** The scope that the resource needs, for the words of a refusal. */
  scope: string;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** A GET on the resource API. @returns the answer with status 200 or 304; throws for every other one. */
export type AuthorizedFetch = (path: string, request: ResourceRequest) => Promise<Response>;

export interface AuthorizedFetchOptions {
  apiURL: string;
  fetch: Fetch;
  tokens: AccessTokens;
  clock: Clock;
}

/** RFC 6750 section 2.1: what may follow `Bearer`. Nothing else reaches a header. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Sends the access token along. A 401 is answered once with the token that the source of tokens has instead of the refused one:
 * a refresh elsewhere revokes the old access token too (service spec, "Token and code lifecycle").
 */
export function createAuthorizedFetch({ apiURL, fetch, tokens, clock }: AuthorizedFetchOptions): AuthorizedFetch {
  const base = apiURL.replace(/\/+$/, '');

  async function send(path: string, request: ResourceRequest, token: string): Promise<Response> {
    if (!B64TOKEN.test(token)) {
      throw new ProtocolError('access_token_malformed', 'The access token has characters that no header may carry.');
    }
    const headers = { accept: 'application/json', ...request.headers, authorization: `Bearer ${token}` };
    try {
      return await fetch(base + path, { headers, redirect: 'manual', signal: request.signal ?? null });
    } catch (error) {
      if (isClinicianError(error) || request.signal?.aborted) throw error;
      throw new ServiceUnavailableError('service_unreachable', 'The service cannot be reached.', error);
    }
  }

  return async function authorizedFetch(path, request) {
    const token = await tokens.accessToken();
    let response = await send(path, request, token);
    if (response.status === 401) {
      await response.body?.cancel();
      const other = await tokens.accessToken(token);
      if (other === token) throw refused();
      response = await send(path, request, other);
    }
    if (response.status === 200 || response.status === 304) return response;
    await response.body?.cancel();
    throw failure(response, request.scope, clock);
  };
}

function failure({ status, headers }: Response, scope: string, clock: Clock): Error {
  if (status === 401) return refused();
  if (status === 403) {
    return new DeniedError(
      'scope_missing',
      `The service refuses this without the scope "${scope}": ask for it at sign-in.`,
    );
  }
  if (status === 429) return new RateLimitedError(resetTime(headers, clock));
  if (status >= 500) {
    return new ServiceUnavailableError('service_error', `The service failed for now (HTTP status ${status}).`);
  }
  return new ProtocolError('api_response_unexpected', `The service answered with the HTTP status ${status}.`);
}

function refused(): SignInRequiredError {
  return new SignInRequiredError('access_token_refused', 'The service no longer accepts this sign-in: sign in again.');
}
