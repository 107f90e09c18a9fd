import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { withTimeout } from '../async/with-timeout.js';
import { grantEnded, ProtocolError } from '../errors/errors.js';
import { Secret } from '../sealing/secret.js';
import type { ClientConfig } from './client-config.js';
import { type CachedDocument, cachedDocument } from './documents.js';
import { clientSecretBasic } from './flows.js';
import { checkMetadata, findRevocationEndpoint, readMetadata, specMetadata } from './metadata.js';
import type * as OpenIDClient from './openid-client.js';
import { REVOCATION_RESPONSE, receivedMembers, revocationFetch, tokenFetch, withoutResponse } from './token-request.js';
import { checkTokenResponse, TOKEN_RESPONSE, type TokenResponse, TokenResponseError } from './token-response.js';

/** One metadata document, and the configurations of openid-client for it. */
interface Connection {
  openIDClient: typeof OpenIDClient;
  metadata: ServerMetadata;
  /** For token requests, and for the URLs of authorization requests and of logouts, which need no request. */
  configuration: Configuration;
  /**
   * With Basic, which the revocation endpoint requires in both flows (service spec, POST /oauth/revoke). Undefined if the
   * service has no such endpoint.
   */
  revocation: CachedDocument<Configuration | undefined>;
}

const REVOCATION_TIMEOUT_MS = 2_000;
const METADATA_LIFETIME_MS = 3_600_000;
/** A check fetches the document again this long before it expires, so that no other request must. */
const METADATA_REFETCH_MS = 300_000;

/** Calls the authorization server through openid-client. Every request uses the site's fetch, and every response is parsed strictly. */
export class OAuthClient {
  readonly #client: ClientConfig;
  readonly #connection: CachedDocument<Connection>;
  #revokeRefused = (token: Secret): Promise<void> =>
    withTimeout(REVOCATION_TIMEOUT_MS, this.revoke(token.reveal())).catch(() => undefined);

  constructor(client: ClientConfig) {
    this.#client = client;
    this.#connection = cachedDocument(client.clock, METADATA_LIFETIME_MS, () => connect(client));
  }

  /**
   * @returns the metadata document, checked; the service's fixed paths if discovery is off. Cached for an hour.
   * @param validForMs fetches it again if it expires within this time
   */
  async metadata(validForMs?: number): Promise<ServerMetadata> {
    return (await this.#connection.get(validForMs)).metadata;
  }

  /** Requests the metadata document even if it is cached. */
  async checkMetadata(): Promise<void> {
    // A new document would make the next revocation look up its endpoint again.
    const isDue = this.#client.discovery && !this.#connection.isCachedFor(METADATA_REFETCH_MS);
    if (isDue) await this.#connection.refetch();
    else await checkMetadata(this.#client);
  }

  /**
   * @param parameters those in addition to `client_id` and `response_type`
   * @returns the URL of an authorization request (RFC 6749 section 4.1.1)
   */
  async authorizationURL(parameters: URLSearchParams): Promise<string> {
    const { openIDClient, configuration } = await this.#connection.get();
    const url = openIDClient.buildAuthorizationUrl(configuration, parameters);
    // An endpoint has no fragment (RFC 6749 section 3.1): a browser would keep it on the redirect to the callback.
    url.hash = '';
    return url.href;
  }

  /** @returns the URL of a logout request (OIDC RP-Initiated Logout 1.0 section 2), or undefined without such an endpoint. */
  async endSessionURL(parameters: Record<string, string>): Promise<string | undefined> {
    const { openIDClient, configuration, metadata } = await this.#connection.get();
    if (metadata.end_session_endpoint === undefined) return undefined;
    return openIDClient.buildEndSessionUrl(configuration, parameters).href;
  }

  /**
   * Sends a token request (RFC 6749 sections 4.1.3 and 6). The tokens of a response that is refused are revoked, in two seconds at
   * most: they are stored nowhere, and would be valid until they expire.
   * @param read checks the response further, such as its ID Token
   * @throws SignInRequiredError `grant_ended` for a refused response to a refresh: the service has used up the refresh token, and
   * takes another use of it for theft (RFC 9700 section 4.14.2)
   */
  async requestTokens<T>(
    grantType: string,
    parameters: Record<string, string>,
    read: (response: TokenResponse) => Promise<T>,
  ): Promise<T> {
    const { openIDClient, configuration } = await this.#connection.get();
    let members: Record<string, unknown> | undefined;
    try {
      const response = await openIDClient.genericGrantRequest(configuration, grantType, parameters);
      members = receivedMembers(response) ?? {};
      return await read(checkTokenResponse(response, members));
    } catch (error) {
      members ??= receivedMembers(error);
      const reason = withoutResponse(TOKEN_RESPONSE, error);
      if (members === undefined) throw reason;
      await this.#revokeTokensIn(members);
      throw grantType === 'refresh_token' ? grantEnded(reason) : reason;
    }
  }

  /** @param revoke replaces {@link revoke} for the tokens of refused responses: it never throws, and takes two seconds at most */
  revokeRefusedWith(revoke: (token: Secret) => Promise<void>): void {
    this.#revokeRefused = revoke;
  }

  /** Never throws. */
  async #revokeTokensIn({ refresh_token, access_token }: Record<string, unknown>): Promise<void> {
    const token = [refresh_token, access_token].find((value) => typeof value === 'string' && value !== '');
    if (token !== undefined) await this.#revokeRefused(new Secret(token as string));
  }

  /** Revokes a token (RFC 7009 section 2.1). @throws ProtocolError `revocation_unsupported` without a revocation endpoint */
  async revoke(token: string): Promise<void> {
    const { openIDClient, revocation } = await this.#connection.get();
    const configuration = await revocation.get();
    if (configuration === undefined) {
      throw revocationUnsupported('The service has no revocation endpoint: its tokens are valid until they expire.');
    }
    try {
      await openIDClient.tokenRevocation(configuration, token);
    } catch (cause) {
      const error = withoutResponse(REVOCATION_RESPONSE, cause);
      if (error instanceof TokenResponseError && error.code === 'unsupported_token_type') {
        throw revocationUnsupported('The service does not revoke this type of token: it is valid until it expires.');
      }
      throw error;
    }
  }
}

let loading: Promise<typeof OpenIDClient> | undefined;

/** Imported when it is first used: it takes a third of the time of the import of this package. A second import has a cost, too. */
export function loadOpenIDClient(): Promise<typeof OpenIDClient> {
  loading ??= import('./openid-client.js');
  return loading;
}

async function connect(client: ClientConfig): Promise<Connection> {
  const { discovery, issuer, clientID, flow, clock } = client;
  const secret = client.clientSecret.reveal();
  const fixed = specMetadata(issuer);
  const found = discovery
    ? await readMetadata(client)
    : { document: fixed, metadata: fixed, isOpenIDConfiguration: false };
  const { metadata } = found;
  const openIDClient = await loadOpenIDClient();

  function configure(server: ServerMetadata, authentication: ClientAuth, fetch: CustomFetch): Configuration {
    const configuration = new openIDClient.Configuration(server, clientID, undefined, authentication);
    configuration.timeout = 0; // the site's fetch has the time limit
    configuration[openIDClient.customFetch] = fetch;
    if (issuer.startsWith('http:')) openIDClient.allowInsecureRequests(configuration);
    return configuration;
  }
  const configuration = configure(metadata, flow.clientAuthentication(secret), tokenFetch(client));
  // It may need a second document, which is read when a token is first revoked.
  const revocation = cachedDocument(clock, METADATA_LIFETIME_MS, async () => {
    const endpoint = await findRevocationEndpoint(client, found);
    if (endpoint === undefined) return undefined;
    const server = { ...metadata, revocation_endpoint: endpoint };
    return configure(server, clientSecretBasic(secret), revocationFetch(client));
  });
  return { openIDClient, metadata, configuration, revocation };
}

function revocationUnsupported(message: string): ProtocolError {
  return new ProtocolError('revocation_unsupported', message);
}
