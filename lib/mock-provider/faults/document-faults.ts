import { PATHS } from '../http/paths.js';
import { EVIL_ISSUER } from './claim-faults.js';
import type { FaultDefinition } from './fault.js';
import type { DocumentFaultName } from './fault-names.js';

type Document = Record<string, unknown>;
type JWK = Readonly<Record<string, string>>;
type DocumentFault = FaultDefinition<(document: Document) => Document>;

const METADATA = {
  endpoint: PATHS.openidConfiguration,
  endpoints: [PATHS.openidConfiguration, PATHS.authorizationServer],
};
const JWKS = { endpoint: PATHS.jwks, endpoints: [PATHS.jwks] };

function keys(change: (keys: JWK[]) => unknown[]): DocumentFault['apply'] {
  return (document) => ({ ...document, keys: change(document.keys as JWK[]) });
}

const STRANGE_KEYS = [
  { kty: 'oct', kid: 'a-secret', k: 'c2VjcmV0', alg: 'HS256' },
  { kty: 'unheard-of', kid: 'of-no-known-kind' },
  { kty: 'RSA', kid: 'for-encryption', use: 'enc', alg: 'RSA-OAEP', n: 'AQAB', e: 'AQAB' },
  { kty: 'RSA', kid: 'without-its-numbers', use: 'sig', alg: 'RS256' },
];

/** What is wrong in the metadata and the keys. */
export const DOCUMENT_FAULTS: Readonly<Record<DocumentFaultName, DocumentFault>> = {
  discoveryWrongIssuer: {
    description: 'The metadata names another issuer.',
    source: 'OpenID Connect Discovery section 4.3',
    aliases: [
      'oidcc-client-test-discovery-issuer-mismatch',
      'discovery-issuer-mismatch',
      'rp-discovery-issuer-not-matching-config',
    ],
    ...METADATA,
    apply: (document) => ({ ...document, issuer: EVIL_ISSUER }),
  },
  discoveryMissingIssuer: {
    description: 'The metadata names no issuer.',
    source: 'OpenID Connect Discovery section 3',
    ...METADATA,
    apply: ({ issuer: _, ...rest }) => rest,
  },
  discoveryMissingJWKSURI: {
    description: 'The metadata does not say where the keys are.',
    source: 'OpenID Connect Discovery section 3',
    ...METADATA,
    apply: ({ jwks_uri: _, ...rest }) => rest,
  },
  wrongKeys: {
    description: 'The JWKS holds other keys under the right kids.',
    source: 'RFC 7517 section 5',
    ...JWKS,
    apply: keys((all) =>
      all.map((key) => ({ ...key, n: `${key.n?.slice(0, 100)}${'A'.repeat(8)}${key.n?.slice(108)}` })),
    ),
  },
  emptyKeys: { description: 'The JWKS holds no key.', source: 'RFC 7517 section 5.1', ...JWKS, apply: keys(() => []) },
  unsupportedKeys: {
    description: 'Keys of other kinds and for other uses stand in the JWKS before the right one: a client goes on.',
    source: 'RFC 7517 section 5',
    ...JWKS,
    apply: keys((all) => [...STRANGE_KEYS, ...all]),
  },
  keysWithoutKid: {
    description: 'The keys in the JWKS have no kid.',
    source: 'OpenID Connect Core section 10.1',
    ...JWKS,
    apply: keys((all) => all.map(({ kid: _, ...key }) => key)),
  },
};
