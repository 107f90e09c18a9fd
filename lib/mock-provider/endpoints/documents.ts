import { documentResponse, type StaticDocument, staticDocument } from '../http/response.js';
import type { Endpoint } from '../protocol/endpoint.js';
import { authorizationServerMetadata, type MetadataInput, openidConfiguration } from '../protocol/metadata.js';
import type { KeyRing } from '../state/keys.js';

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' };

/** Creates GET /.well-known/openid-configuration. */
export function createOpenIDConfigurationEndpoint(input: MetadataInput): Endpoint {
  return createDocumentEndpoint(() => openidConfiguration(input));
}

/** Creates GET /.well-known/oauth-authorization-server. */
export function createAuthorizationServerEndpoint(input: MetadataInput): Endpoint {
  return createDocumentEndpoint(() => authorizationServerMetadata(input));
}

/** Creates GET /.well-known/jwks.json. */
export function createKeysEndpoint(keys: Pick<KeyRing, 'keys' | 'published'>): Endpoint {
  const publicKeys = () => ({ keys: keys.keys().map((key) => key.publicJWK) });
  return createDocumentEndpoint(publicKeys, () => keys.published.join(' '));
}

/** Serialises the document again only when its version changes. */
function createDocumentEndpoint(make: () => unknown, version: () => string = () => ''): Endpoint {
  let current: { version: string; document: StaticDocument } | undefined;
  return function readDocument(http) {
    const currentVersion = version();
    if (current?.version !== currentVersion) {
      current = { version: currentVersion, document: staticDocument(JSON.stringify(make()), HEADERS) };
    }
    return documentResponse(current.document, http.ifNoneMatch);
  };
}
