import type { CustomFetch } from 'openid-client';
import { isClinicianError, summarizeError } from '../errors/errors.js';
import type { FetchResponse } from '../http/http.js';
import { sendRequest } from '../http/send-request.js';
import type { ClientConfig } from './client-config.js';
import { type ExpectedDocument, malformed, readJSONObject } from './documents.js';
import { checkErrorResponse, TOKEN_RESPONSE } from './token-response.js';

type Members = Record<string, unknown>;

/** Reads a response for openid-client. `secrets` are the secret parameters of the request. */
type ReadMembers = (response: FetchResponse, secrets: readonly string[]) => Promise<Members>;

export const REVOCATION_RESPONSE: ExpectedDocument = {
  name: 'the revocation response',
  code: 'response_malformed',
};
const SECRET_PARAMETERS = ['client_secret', 'code', 'code_verifier', 'refresh_token', 'token'];

/**
 * The members of each token response as the service sent them, by the object that openid-client gets, and returns, for them; none, by
 * the error of a response that cannot be read.
 */
const received = new WeakMap<object, Members>();

/** @returns the fetch of openid-client for token requests. */
export function tokenFetch(client: ClientConfig): CustomFetch {
  return fetchFor(client, async (response, secrets) => {
    let members: Members;
    try {
      await checkErrorResponse(response, TOKEN_RESPONSE, secrets);
      members = await readJSONObject(response, TOKEN_RESPONSE);
    } catch (error) {
      throw response.status < 300 ? recordUnread(error) : error;
    }
    // openid-client checks the presence and type of the others. These two have stricter checks.
    const { id_token: _, expires_in: __, ...others } = members;
    received.set(others, members);
    return others;
  });
}

/** @returns the fetch of openid-client for revocation requests, whose responses have no content. */
export function revocationFetch(client: ClientConfig): CustomFetch {
  return fetchFor(client, async (response, secrets) => {
    await checkErrorResponse(response, REVOCATION_RESPONSE, secrets);
    return {};
  });
}

/**
 * @param result what openid-client has returned, or the error that it has thrown: oauth4webapi puts the object into the cause of
 * its error
 * @returns the members of the token response as the service sent them, none if it cannot be read; undefined if there is no token
 * response
 */
export function receivedMembers(result: unknown): Members | undefined {
  const { cause } = Object(result) as { cause?: { cause?: { body?: object } } };
  const body = cause?.cause?.body;
  return received.get(result as object) ?? (cause && received.get(cause)) ?? (body && received.get(body));
}

/**
 * Records that a response cannot be read, but not that a connection has ended: the service may have sent nothing.
 * @returns the error
 */
function recordUnread(error: unknown): unknown {
  if (isClinicianError(error) && error.code === 'response_malformed') received.set(error, {});
  return error;
}

/** @returns an error of this package for one of openid-client, which contains the response and so the tokens. */
export function withoutResponse(expected: ExpectedDocument, error: unknown): Error {
  if (isClinicianError(error)) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return isClinicianError(cause) ? cause : malformed(expected, `was rejected: ${summarizeError(error).message}`);
}

function fetchFor(client: ClientConfig, read: ReadMembers): CustomFetch {
  return async (url, { body, headers, method, signal }) => {
    const form = body instanceof URLSearchParams ? body : undefined;
    const init = { headers, method, ...(form && { body: form }), ...(signal && { signal }) };
    const parameters = SECRET_PARAMETERS.map((name) => form?.get(name) ?? '');
    const secrets = [...parameters, credentialsIn(headers), client.clientSecret.reveal()];
    let response: FetchResponse;
    try {
      response = await sendRequest(client.fetch, url, init, secrets);
    } catch (error) {
      throw recordUnread(error);
    }
    return parsedResponse(await read(response, secrets));
  };
}

/** @returns the value of the Authorization header, without its scheme. */
function credentialsIn(headers: Record<string, string>): string {
  return headers.authorization?.split(' ')[1] ?? '';
}

/** @returns a response whose body is parsed already, so that openid-client does not parse it again. */
function parsedResponse(members: Members): Response {
  return Object.defineProperty(new Response(null), 'json', { value: async () => members });
}
