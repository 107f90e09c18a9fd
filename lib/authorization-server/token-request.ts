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

/** The members of each token response as the service sent them, by the object that openid-client gets, and returns, for them. */
const received = new WeakMap<object, Members>();

/** @returns the fetch of openid-client for token requests. */
export function tokenFetch(client: ClientConfig): CustomFetch {
  return fetchFor(client, async (response, secrets) => {
    await checkErrorResponse(response, TOKEN_RESPONSE, secrets);
    const members = await readJSONObject(response, TOKEN_RESPONSE);
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
 * @returns the members of the token response as the service sent them; undefined if there is no token response
 */
export function receivedMembers(result: object): Members | undefined {
  const { cause } = result as { cause?: { cause?: { body?: object } } };
  const body = cause?.cause?.body;
  return received.get(result) ?? (body && received.get(body));
}

/** @returns an error of this package for one of openid-client, which contains the response and so the tokens. */
export function withoutResponse(expected: ExpectedDocument, error: unknown): Error {
  const cause = error instanceof Error && isClinicianError(error.cause) ? error.cause : error;
  return isClinicianError(cause) ? cause : malformed(expected, `was rejected: ${summarizeError(error).message}`);
}

function fetchFor(client: ClientConfig, read: ReadMembers): CustomFetch {
  return async (url, { body, headers, method, signal }) => {
    const form = body instanceof URLSearchParams ? body : undefined;
    const init = { headers, method, ...(form && { body: form }), ...(signal && { signal }) };
    const parameters = SECRET_PARAMETERS.map((name) => form?.get(name) ?? '');
    const secrets = [...parameters, credentialsIn(headers), client.clientSecret.reveal()];
    return parsedResponse(await read(await sendRequest(client.fetch, url, init, secrets), secrets));
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
