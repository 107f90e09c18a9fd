import type { Statement, Statements } from './statement.js';

/** Lists the statements about the token response. */
export const TOKEN_RESPONSE_STATEMENTS: Statements = {
  'token-response-json': {
    statement: 'A token response has status 200 and a JSON body.',
    rules: ['token-response-members', 'token-response-headers'],
    mock: 'mock-provider/endpoints/token: every token response, also an error, has the three headers',
    client: 'authorization-server/token-response: a token response with the content type %s is accepted',
  },
  'access-token-of-the-user': {
    statement: 'access_token is text, bound to the user.',
    rules: ['token-response-members', 'access-tokens-opaque'],
    mock: 'mock-provider/resources/resources: the profile of a user without values has members that are null or empty, and lacks those that can be neither',
    client: 'authorization-server/token-response: a token response with an access_token that is an object is rejected',
  },
  'token-type-bearer': {
    statement: 'token_type is bearer.',
    rules: ['token-response-members'],
    mock: 'mock-provider/endpoints/token: the token response of the profile flow has no scope and no ID Token',
    client: 'authorization-server/token-response: a token response with token_type mac is rejected',
  },
  'expires-in-seconds': {
    statement: 'expires_in is an integer: the seconds that the access token is valid.',
    rules: ['token-response-members', 'access-token-lifetime'],
    mock: 'mock-provider/endpoints/token: the token response has an access token that expires after expires_in',
    client:
      'authorization-server/token-response: a token response expires as counted from the request: the response may be slow',
  },
  'refresh-token-for-access-token': {
    statement: 'refresh_token is text, and obtains a new access token.',
    rules: ['token-response-members', 'refresh-token-valid'],
    mock: 'mock-provider/endpoints/token: a refresh revokes the old pair at once and returns a new one',
    client: 'authorization-server/refresh: a refresh returns a new pair and a new ID Token of the same user',
  },
  'scope-in-openid-flow-only': {
    statement: 'scope is sent in Form B only: the granted scope, separated by spaces.',
    rules: ['token-response-members', 'profile-flow-without-scope'],
    mock: 'mock-provider/endpoints/token: the token response of the openid flow has scope and ID Token',
    client:
      'authorization-server/token-response: a token response has its own scope, or the requested one when it has none',
  },
  'id-token-in-openid-flow-only': {
    statement: 'id_token is a JWT, and is sent in Form B only, when openid was granted.',
    rules: ['id-token-with-openid-only'],
    mock: 'mock-provider/endpoints/token: the token response of the openid flow has scope and ID Token',
    client: 'authorization-server/id-token: an ID Token that is missing from the token response fails the sign-in',
  },
  'token-response-headers-sent': {
    statement:
      'In Form A the headers are Content-Type application/json;charset=UTF-8, Cache-Control no-store and Pragma no-cache.',
    rules: ['token-response-headers'],
    mock: 'mock-provider/endpoints/token: every token response, also an error, has the three headers',
  },
};

/** Lists the statements about the ID Token. */
export const ID_TOKEN_STATEMENTS: Statements = {
  'id-token-signed': {
    statement: 'The ID Token is a JWT signed with RS256.',
    rules: ['id-token-signed-rs256'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client:
      'authorization-server/id-token: an ID Token is checked for RS256, for any algorithms of the metadata document',
  },
  'id-token-header': {
    statement: 'Its header has alg and kid.',
    rules: ['id-token-signed-rs256'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token with no alg is rejected',
  },
  'id-token-iss': {
    statement: 'iss is the issuer.',
    rules: ['id-token-claims', 'issuer-exact'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token with another issuer is rejected',
  },
  'id-token-sub': {
    statement: 'sub is the identity of the user, in the form of a UUID.',
    rules: ['id-token-claims'],
    mock: 'mock-provider/endpoints/token: sub is a UUID, different for each user, and not the email address',
    client: 'authorization-server/id-token: an ID Token with no subject is rejected',
  },
  'id-token-aud': {
    statement: 'aud is an array of the address of the authorization server and the client id.',
    rules: ['id-token-claims'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token that is valid signs in, with both audiences and azp',
  },
  'id-token-azp': {
    statement: 'azp is the client id.',
    rules: ['id-token-claims'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token with another azp is rejected',
  },
  'id-token-exp': {
    statement: 'exp is the time when it expires.',
    rules: ['id-token-claims'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token exp, nbf and iat have a tolerance of 60 seconds',
  },
  'id-token-iat': {
    statement: 'iat is the time when it was issued.',
    rules: ['id-token-claims'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token exp, nbf and iat have a tolerance of 60 seconds',
  },
  'id-token-auth-time': {
    statement: 'auth_time is the time of the login, in epoch seconds.',
    rules: ['id-token-claims'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token max_age and prompt=login require a recent auth_time',
  },
  'id-token-at-hash': {
    statement: 'at_hash binds the access token.',
    rules: ['id-token-claims'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: "authorization-server/id-token: an ID Token with another access token's at_hash is rejected",
  },
};

const OPENID_MEMBERS: Omit<Statement, 'statement'> = {
  rules: ['openid-configuration-complete'],
  mock: 'mock-provider/endpoints/documents: every endpoint of the metadata responds',
};

const OAUTH_MEMBERS: Omit<Statement, 'statement'> = {
  rules: ['metadata-lists'],
  mock: 'mock-provider/endpoints/documents: every endpoint of the metadata responds',
};

/** Lists the statements about the metadata documents. */
export const METADATA_STATEMENTS: Statements = {
  'openid-configuration-issuer': {
    statement: 'The OpenID configuration has the issuer.',
    rules: ['issuer-exact'],
    mock: 'mock-provider/endpoints/documents: the metadata documents and the JWKS have the same issuer, the prefix of their address and the iss of ID Tokens',
    client: 'authorization-server/discovery: discovery rejects a document with another issuer',
  },
  'openid-configuration-endpoints': {
    statement: 'The OpenID configuration has authorization_endpoint and token_endpoint.',
    ...OPENID_MEMBERS,
    client: 'authorization-server/discovery: discovery uses the endpoints of the document, with their query',
  },
  'openid-configuration-session-check': {
    statement: 'The OpenID configuration has check_session_iframe.',
    ...OPENID_MEMBERS,
    client:
      'integration/session-check: the page of the session check contains the session state, and can be framed by this site only',
  },
  'openid-configuration-logout': {
    statement: 'The OpenID configuration has end_session_endpoint.',
    ...OPENID_MEMBERS,
    client: 'authorization-server/end-session: endSession returns undefined where the service has no such endpoint',
  },
  'openid-configuration-jwks': {
    statement: 'The OpenID configuration has jwks_uri.',
    ...OPENID_MEMBERS,
    client: 'security/id-tokens: the keys are fetched from the jwks_uri of the metadata',
  },
  'server-metadata-endpoints': {
    statement: 'The authorization server metadata has issuer, authorization_endpoint and token_endpoint.',
    ...OAUTH_MEMBERS,
    client:
      'authorization-server/discovery: discovery without an OpenID configuration the authorization server metadata is used, and cached for an hour',
  },
  'server-metadata-revocation': {
    statement: 'The authorization server metadata has revocation_endpoint.',
    ...OAUTH_MEMBERS,
    client: 'authorization-server/revoke: a revocation is sent to the endpoint of the metadata document',
  },
  'server-metadata-userinfo': {
    statement: 'The authorization server metadata has userinfo_endpoint.',
    ...OAUTH_MEMBERS,
  },
  'server-metadata-scopes': {
    statement: 'scopes_supported has search, openid and others.',
    ...OAUTH_MEMBERS,
  },
  'server-metadata-authentication': {
    statement: 'token_endpoint_auth_methods_supported has client_secret_basic.',
    ...OAUTH_MEMBERS,
  },
  'server-metadata-response-types': {
    statement: 'response_types_supported has code, and code id_token.',
    ...OAUTH_MEMBERS,
    rules: ['metadata-lists', 'response-type-supported'],
  },
  'server-metadata-signing': {
    statement: 'token_endpoint_auth_signing_alg_values_supported has RS256.',
    ...OAUTH_MEMBERS,
  },
  'server-metadata-locales': {
    statement: 'ui_locales_supported has en-US.',
    ...OAUTH_MEMBERS,
  },
};
