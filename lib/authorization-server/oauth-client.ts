import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { isClinicianError, ProtocolError, summarizeError } from '../errors.js';
import type { FetchResponse } from '../http.js';
import { sendRequest } from '../send-request.js';
import { withTimeout } from '../with-timeout.js';
import { clientSecretBasic } from './client-authentication.js';
import type { ClientConfig } from './client-config.js';
import { cachedDocument, type ExpectedDocument, malformed } from './documents.js';
import { checkMetadata, findRevocationEndpoint, readMetadata, specMetadata } from './metadata.js';
import type * as OpenIDClient from './openid-client.js';
import {
  checkErrorResponse,
  checkTokenResponse,
  readTokenMembers,
  TOKEN_RESPONSE,
  type TokenResponse,
  TokenResponseError,
} from './token-response.js';

/** Calls the authorization server through openid-client. Every request uses the site's fetch, and every response is parsed strictly. */
export interface OAuthClient {
  /**
   * @returns the metadata document, checked; the service's fixed paths where discovery is off. Cached for an hour.
   * @param validForMs fetches it again where it is not cached for this time
   */
  metadata(validForMs?: number): Promise<ServerMetadata>;
  /** Requests the metadata document, also while it is cached. */
  checkMetadata(): Promise<void>;
  /**
   * @param parameters those in addition to `client_id` and `response_type`
   * @returns the URL of an authorization request (RFC 6749 section 4.1.1)
   */
  authorizationURL(parameters: URLSearchParams): Promise<string>;
  /** @returns the URL of a logout request (OIDC RP-Initiated Logout 1.0 section 2), or undefined without such an endpoint. */
  endSessionURL(parameters: Record<string, string>): Promise<string | undefined>;
  /**
   * Sends a token request (RFC 6749 sections 4.1.3 and 6). The tokens of a response that is refused are revoked, in bounded time.
   * @param accept checks the ID Token, and rejects to refuse the response
   * @returns what `accept` returns
   */
  requestTokens<T>(
    grantType: string,
    parameters: Record<string, string>,
    accept: (response: TokenResponse) => Promise<T>,
  ): Promise<T>;
  /** Revokes a token (RFC 7009 section 2.1). @throws ProtocolError `revocation_unsupported` without a revocation endpoint */
  revoke(token: string): Promise<void>;
}

/** Holds one metadata document and the configurations of openid-client for it. */
interface Connection {
  /** Imported when it is first used: it takes a third of the time of the import of this package. */
  openIDClient: typeof OpenIDClient;
  metadata: ServerMetadata;
  /** The URL of the authorization requests, with the parameters that all of them have. */
  authorizationURL: string;
  /** For the URL of a logout, which needs no request. */
  configuration: Configuration;
  /** The token requests that have succeeded, to use again: openid-client copies the metadata into each configuration. */
  idleRequests: TokenRequest[];
  createTokenRequest(): TokenRequest;
  /**
   * With Basic, which the revocation endpoint requires in both flows (service spec, POST /oauth/revoke). Undefined where the
   * service has no such endpoint.
   */
  revocation(): Promise<Configuration | undefined>;
}

type Members = Record<string, unknown>;

/** Holds a token request: a configuration with the flow's client authentication, and the members of its response, unchecked. */
interface TokenRequest {
  configuration: Configuration;
  received: Members;
}

/** Reads a response for openid-client. `secrets` are the secret parameters of the request. */
type ReadMembers = (response: FetchResponse, secrets: readonly string[]) => Promise<Members>;

const REVOCATION_RESPONSE: ExpectedDocument = {
  name: 'the revocation response',
  code: 'revocation_response_malformed',
};
const REVOCATION_TIMEOUT_MS = 2_000;
const METADATA_LIFETIME_MS = 3_600_000;
/** A check fetches the document again this long before it expires, so that no other request must. */
const METADATA_REFETCH_MS = 300_000;
const SECRET_PARAMETERS = ['client_secret', 'code', 'code_verifier', 'refresh_token', 'token'];

export function createOAuthClient(client: ClientConfig): OAuthClient {
  const connection = cachedDocument(client.clock, METADATA_LIFETIME_MS, () => connect(client));

  return {
    metadata: async (validForMs) => (await connection.get(validForMs)).metadata,
    async checkMetadata() {
      // A new document would make the next revocation look up its endpoint again.
      if (client.discovery && !connection.isCachedFor(METADATA_REFETCH_MS)) await connection.refetch();
      else await checkMetadata(client);
    },
    async authorizationURL(parameters) {
      const { authorizationURL } = await connection.get();
      return `${authorizationURL}&${parameters}`;
    },
    async endSessionURL(parameters) {
      const { openIDClient, configuration, metadata } = await connection.get();
      if (metadata.end_session_endpoint === undefined) return undefined;
      return openIDClient.buildEndSessionUrl(configuration, parameters).href;
    },
    async requestTokens(grantType, parameters, accept) {
      const { openIDClient, idleRequests, createTokenRequest } = await connection.get();
      const request = idleRequests.pop() ?? createTokenRequest();
      try {
        const send = () => openIDClient.genericGrantRequest(request.configuration, grantType, parameters);
        const result = await accept(checkTokenResponse(await callOpenIDClient(TOKEN_RESPONSE, send), request.received));
        request.received = {};
        idleRequests.push(request);
        return result;
      } catch (error) {
        // The failed request is not used again: its response could arrive during another user's sign-in.
        await discard(request.received);
        throw error;
      }
    },
    revoke,
  };

  async function revoke(token: string): Promise<void> {
    const { openIDClient, revocation } = await connection.get();
    const configuration = await revocation();
    if (configuration === undefined) {
      throw revocationUnsupported('The service has no revocation endpoint: its tokens are valid until they expire.');
    }
    try {
      await callOpenIDClient(REVOCATION_RESPONSE, () => openIDClient.tokenRevocation(configuration, token));
    } catch (error) {
      const code = error instanceof TokenResponseError ? error.code : undefined;
      if (code === 'unsupported_token_type') {
        throw revocationUnsupported('The service does not revoke this type of token: it is valid until it expires.');
      }
      // RFC 7009 section 2.2 requires 200 for a token that is not valid. Google sends this error.
      if (code !== 'invalid_token') throw error;
    }
  }

  /** Revokes the tokens of a response that is refused: they are stored nowhere, and would be valid until they expire. */
  async function discard({ refresh_token, access_token }: Members): Promise<void> {
    const token = [refresh_token, access_token].find((value) => typeof value === 'string' && value !== '');
    if (token !== undefined) await withTimeout(REVOCATION_TIMEOUT_MS, revoke(token as string)).catch(() => undefined);
  }
}

async function connect(client: ClientConfig): Promise<Connection> {
  const secret = client.clientSecret.reveal();
  const { metadata, revocationEndpoint } = await readEndpoints(client);
  const openIDClient = await import('./openid-client.js');

  function configure(server: ServerMetadata, authentication: ClientAuth, read: ReadMembers): Configuration {
    const configuration = new openIDClient.Configuration(server, client.clientID, undefined, authentication);
    configuration.timeout = 0; // the site's fetch has the time limit
    configuration[openIDClient.customFetch] = fetchFor(client, read);
    if (isPlainHTTP(client)) openIDClient.allowInsecureRequests(configuration);
    return configuration;
  }
  const authentication = client.flow.clientAuthentication(secret);

  function createTokenRequest(): TokenRequest {
    const request: TokenRequest = {
      received: {},
      configuration: configure(metadata, authentication, (response, secrets) =>
        readTokenMembers(response, secrets, (members) => {
          request.received = members;
        }),
      ),
    };
    return request;
  }
  const { configuration } = createTokenRequest();
  const authorizationURL = openIDClient.buildAuthorizationUrl(configuration, { response_type: 'code' });
  // An endpoint has no fragment (RFC 6749 section 3.1): the parameters of a request would be in it.
  authorizationURL.hash = '';
  return {
    openIDClient,
    metadata,
    authorizationURL: authorizationURL.href,
    configuration,
    idleRequests: [],
    createTokenRequest,
    async revocation() {
      const endpoint = await revocationEndpoint();
      if (endpoint === undefined) return undefined;
      const server = { ...metadata, revocation_endpoint: endpoint };
      return configure(server, clientSecretBasic(secret), async (response, secrets) => {
        await checkErrorResponse(response, REVOCATION_RESPONSE, secrets);
        return {};
      });
    },
  };
}

/** @returns the endpoints. The revocation endpoint may need a second document, which is read when a token is first revoked. */
async function readEndpoints(client: ClientConfig) {
  if (!client.discovery) {
    const metadata = specMetadata(client.issuer);
    return { metadata, revocationEndpoint: async () => metadata.revocation_endpoint };
  }
  const found = await readMetadata(client);
  const lookUp = () => findRevocationEndpoint(client, found);
  const { get } = cachedDocument(client.clock, METADATA_LIFETIME_MS, lookUp);
  return { metadata: found.metadata, revocationEndpoint: get };
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

/** Runs a call of openid-client and replaces its errors, which contain the response and so the tokens. */
async function callOpenIDClient<T>(expected: ExpectedDocument, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const cause = error instanceof Error && isClinicianError(error.cause) ? error.cause : error;
    if (isClinicianError(cause)) throw cause;
    throw malformed(expected, `was rejected: ${summarizeError(error).message}`);
  }
}

function revocationUnsupported(message: string): ProtocolError {
  return new ProtocolError('revocation_unsupported', message);
}

function isPlainHTTP({ issuer }: ClientConfig): boolean {
  return issuer.startsWith('http:');
}
