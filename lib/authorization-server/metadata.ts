import type { Configuration } from 'openid-client';
import { ProtocolError } from '../errors/errors.js';
import { quoteText } from '../errors/safe-text.js';
import type { Fetch } from '../http/http.js';
import { defined, hasJSONType, type JSONDocument, malformed, readJSONDocument } from '../http/json.js';
import { secureURL } from '../http/url.js';
import type { ClientConfig } from './client-config.js';
import { CachedDocument, readDocument, requestDocument, throwIfUnavailable } from './documents.js';

/** The members of a metadata document that this package uses, checked. */
export interface ServerMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint?: string;
  end_session_endpoint?: string;
  check_session_iframe?: string;
  jwks_uri: string;
  scopes_supported?: string[];
  authorization_response_iss_parameter_supported?: boolean;
}

interface Server extends Documents {
  openIDClient: typeof import('./openid-client.js');
  configuration: Configuration;
}

/** The metadata, and for an OpenID configuration the revocation endpoint that only the other document may list. */
interface Documents {
  metadata: ServerMetadata;
  otherRevocationEndpoint?: CachedDocument<string | undefined>;
}

const METADATA: JSONDocument = { name: 'the metadata document' };

const LIFETIME_MS = 3_600_000;
/** A check fetches the document again this long before it expires, so that no other request must. */
const REFETCH_MS = 300_000;

/** The metadata of the authorization server, cached for an hour; the service's fixed paths if discovery is off. */
export class Metadata {
  readonly #client: ClientConfig;
  readonly #fetch: Fetch;
  readonly server: CachedDocument<Server>;

  constructor(client: ClientConfig, fetch: Fetch) {
    this.#client = client;
    this.#fetch = fetch;
    this.server = new CachedDocument(client.clock, LIFETIME_MS, async () => this.#configure(await this.#read()));
  }

  /**
   * @returns the revocation endpoint, which a service may list only in its authorization server metadata (service spec, "Server
   * metadata documents"); undefined if no document lists one: it is never guessed
   */
  async revocationEndpoint(): Promise<string | undefined> {
    const { metadata, otherRevocationEndpoint } = await this.server.get();
    return metadata.revocation_endpoint ?? otherRevocationEndpoint?.get();
  }

  /** Requests the document even if it is cached. Without discovery, any response shows that the service is available. */
  async check(): Promise<void> {
    const { flow, issuer } = this.#client;
    if (flow.discovery) {
      // A new document would make the next revocation look up its endpoint again.
      await (this.server.isCachedFor(REFETCH_MS) ? this.#read() : this.server.refetch());
      return;
    }
    const response = await requestDocument(this.#fetch, openIDConfigurationURL(issuer));
    throwIfUnavailable(response, METADATA);
    await response.body?.cancel();
  }

  async #configure(documents: Documents): Promise<Server> {
    const { clientID, issuer } = this.#client;
    // Imported when it is first used, which takes time.
    const openIDClient = await import('./openid-client.js');
    const configuration = new openIDClient.Configuration({ ...documents.metadata }, clientID);
    if (issuer.startsWith('http:')) openIDClient.allowInsecureRequests(configuration);
    return { ...documents, openIDClient, configuration };
  }

  /**
   * Reads the OpenID configuration (OpenID Connect Discovery 1.0 section 4). If it is missing, with status 404, reads the
   * authorization server metadata (RFC 8414 section 3).
   */
  async #read(): Promise<Documents> {
    const { flow, issuer, clock } = this.#client;
    if (!flow.discovery) return { metadata: specMetadata(issuer) };
    const [openID, oauth] = [openIDConfigurationURL(issuer), authorizationServerMetadataURL(issuer)];
    const response = await requestDocument(this.#fetch, openID);
    if (response.status !== 404) {
      const document = await readDocument(response, metadataAt(openID));
      const find = () => this.#readRevocationEndpoint(oauth);
      const otherRevocationEndpoint = new CachedDocument(clock, LIFETIME_MS, find);
      return { metadata: validateMetadata(document, this.#client, openID), otherRevocationEndpoint };
    }
    await response.body?.cancel();
    const second = await requestDocument(this.#fetch, oauth);
    if (second.status === 404) {
      throw malformed(METADATA, `is neither at ${openID} nor at ${oauth} (status 404). Check the option "issuer"`);
    }
    const document = await readDocument(second, metadataAt(oauth));
    return { metadata: validateMetadata({ ...openIDMembers(issuer), ...document }, this.#client, oauth) };
  }

  async #readRevocationEndpoint(url: string): Promise<string | undefined> {
    const response = await requestDocument(this.#fetch, url);
    throwIfUnavailable(response, metadataAt(url));
    // Few services publish both documents. Others respond with an error or a page.
    if (response.status !== 200 || !hasJSONType(response)) {
      await response.body?.cancel();
      return undefined;
    }
    const { json } = await readJSONDocument(response, metadataAt(url));
    checkIssuer(json, this.#client, url);
    return endpoint(json, 'revocation_endpoint', this.#client);
  }
}

/** @returns the endpoints at the fixed paths of the service spec ("Endpoints"). */
function specMetadata(issuer: string): ServerMetadata {
  const base = issuer.replace(/\/$/, '');
  return {
    issuer,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    revocation_endpoint: `${base}/oauth/revoke`,
    end_session_endpoint: `${base}/oauth/logout`,
    check_session_iframe: `${base}/oauth/session_state`,
    jwks_uri: `${base}/.well-known/jwks.json`,
  };
}

function metadataAt(url: string): JSONDocument {
  return { ...METADATA, name: `${METADATA.name} ${url}` };
}

function openIDConfigurationURL(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** The path of the issuer follows the well-known path (RFC 8414 section 3.1). */
function authorizationServerMetadataURL(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`;
}

/** The endpoints that the service publishes only in its OpenID configuration. Their paths are fixed. */
function openIDMembers(issuer: string) {
  const { jwks_uri, end_session_endpoint, check_session_iframe } = specMetadata(issuer);
  return { jwks_uri, end_session_endpoint, check_session_iframe };
}

/**
 * Checks a metadata document (OpenID Connect Discovery 1.0 section 4.3, RFC 8414 sections 3.3 and 6.2).
 * @throws ProtocolError `issuer_mismatch`, `metadata_endpoint_refused` or `response_malformed`
 */
function validateMetadata(document: Record<string, unknown>, client: ClientConfig, url: string): ServerMetadata {
  const { issuer } = client;
  checkIssuer(document, client, url);
  const methods = document.code_challenge_methods_supported;
  if (Array.isArray(methods) && !methods.includes('S256')) {
    throw new ProtocolError(
      'response_malformed',
      `The metadata document of ${issuer} does not list the code challenge method S256, which this package requires.`,
    );
  }
  const find = (name: string) => endpoint(document, name, client);
  return {
    issuer,
    authorization_endpoint: required('authorization_endpoint', find('authorization_endpoint')),
    token_endpoint: required('token_endpoint', find('token_endpoint')),
    jwks_uri: required('jwks_uri', find('jwks_uri')),
    ...defined({
      revocation_endpoint: find('revocation_endpoint'),
      end_session_endpoint: find('end_session_endpoint'),
      check_session_iframe: find('check_session_iframe'),
    }),
    scopes_supported: textsOf(document.scopes_supported),
    authorization_response_iss_parameter_supported: document.authorization_response_iss_parameter_supported === true,
  };
}

function checkIssuer(document: Record<string, unknown>, { issuer }: ClientConfig, url: string): void {
  const found = document.issuer;
  if (found === issuer) return;
  const problem =
    typeof found === 'string'
      ? `has the issuer ${quoteText(found)} instead of ${quoteText(issuer)}. ${issuerFix(found, issuer)}`
      : `has no issuer. Check the option "issuer": ${quoteText(issuer)}.`;
  throw new ProtocolError('issuer_mismatch', `The metadata document ${url} ${problem}`);
}

/** Issuers are compared character by character (OpenID Connect Discovery 1.0 section 4.3). */
function issuerFix(found: string, issuer: string): string {
  if (found === `${issuer}/`) return `Add a slash to the end of the option "issuer": ${quoteText(found)}.`;
  if (issuer === `${found}/`) return `Remove the slash from the end of the option "issuer": ${quoteText(found)}.`;
  return 'If that is your service, set the option "issuer" to exactly this value.';
}

function endpoint(
  document: Record<string, unknown>,
  name: string,
  { endpointOrigins }: ClientConfig,
): string | undefined {
  const address = document[name];
  if (address === undefined) return undefined;
  const url = typeof address === 'string' ? secureURL(address) : undefined;
  if (url === undefined || !endpointOrigins.includes(url.origin)) {
    throw new ProtocolError(
      'metadata_endpoint_refused',
      `The metadata document has a ${name} that is not at ${endpointOrigins.join(' or ')}. To use another origin, add it to the option "allowedEndpointOrigins".`,
    );
  }
  // An endpoint has no fragment (RFC 6749 section 3.1): a browser would keep it on the redirect to the callback.
  url.hash = '';
  return url.href;
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function required(name: string, address: string | undefined): string {
  if (address !== undefined) return address;
  throw new ProtocolError('response_malformed', `The metadata document has no ${name}.`);
}
