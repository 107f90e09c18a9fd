import { isAtAddress, PAGE_PATHS, PATHS } from '../../lib/mock-provider/http/paths.js';
import { resolveOptions } from '../../lib/mock-provider/options/resolve-provider-options.js';
import {
  count,
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  type Schema,
  text,
  textOrNull,
  texts,
} from '../../lib/mock-provider/options/schema.js';
import { createInstance } from '../../lib/mock-provider/provider-instance.js';
import { createRoutes } from '../../lib/mock-provider/server/routes.js';

/** The paths that the service specification defines. */
const SERVICE_PATHS = [...Object.values(PATHS), PAGE_PATHS.newMessage] as const;
type Path = (typeof SERVICE_PATHS)[number];
type Method = 'GET' | 'POST';

interface Parameter {
  readonly description: string;
  readonly isRequired?: true;
  readonly schema?: Schema;
}

interface Response {
  readonly description: string;
  readonly type?: 'application/json' | 'text/html';
  /** The name of a schema. */
  readonly schema?: keyof typeof SCHEMAS;
  readonly headers?: readonly (keyof typeof HEADERS)[];
}

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly security?: 'clientSecretBasic' | 'accessToken' | 'clientSecretInForm';
  /** In the query of a GET, in the form of a POST. */
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly responses: Readonly<Record<number, Response>>;
}

const anyObject: Schema = { type: 'object' };
const objectOf = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const location = objectOf(
  { address_1: text, address_2: textOrNull, city: text, state: text, phone: text, fax: textOrNull, zip: text },
  ['state'],
);
const colleague = objectOf(
  {
    ...{ id: integer, npi: integer, firstname: text, middlename: text, lastname: text, credentials: text },
    ...{ specialty: text, zip: text, profile_photo: text },
  },
  ['npi', 'profile_photo'],
);

const SCHEMAS = {
  TokenResponse: objectOf(
    {
      access_token: text,
      token_type: oneOf('bearer'),
      expires_in: count(),
      refresh_token: text,
      scope: text,
      id_token: text,
    },
    ['scope', 'id_token'],
  ),
  OAuthError: objectOf({ error: text, error_description: text }),
  APIError: objectOf({ message: text, documentation_url: text }),
  Profile: objectOf(
    {
      ...{ id: integer, npi: integer, firstname: text, middlename: text, lastname: text, maiden_name: textOrNull },
      ...{ full_name: text, gender: text, state: text, lat: number, lon: number, city: text, zip: text },
      ...{ address_1: textOrNull, address_2: textOrNull, phone: textOrNull, fax: textOrNull },
      additional_locations: list(location),
      ...{ credentials: text, specialty: text },
      specialty_details: objectOf({ abbr: text, code: text, credential_id: integer, name: text, id: text }, [
        'credential_id',
      ]),
      hospitals: list(objectOf({ name: text, aha_id: text })),
      ...{ subspecialties: texts, medical_school: text, residencies: texts, profile_photo: text },
      ...{ colleague_count: count(), verified: flag, description: text, email: text },
    },
    ['npi', 'maiden_name', 'gender', 'state', 'lat', 'lon', 'profile_photo', 'description', 'email'],
  ),
  ColleaguePage: objectOf({
    ...{ total_entries: count(), current_page: integer, total_pages: integer, per_page: integer },
    items: list(colleague),
  }),
  RateLimitStatus: objectOf({ limit: count(), remaining: count(), reset: count() }),
  ServerMetadata: anyObject,
  Keys: object<{ keys: readonly object[] }>({ keys: list(anyObject) }, {}),
  Claims: anyObject,
} as const satisfies Readonly<Record<string, Schema>>;

const HEADERS = {
  Location: 'The address of the redirect.',
  ETag: 'The entity tag of the response.',
  'WWW-Authenticate': 'The authentication that is required.',
  'Cache-Control': 'no-store for tokens and errors.',
  'X-Rate-Limit-Limit': 'The maximum number of requests in an hour.',
  'X-Rate-Limit-Remaining': 'The number of requests left in the window.',
  'X-Rate-Limit-Reset': 'The end of the window, in UTC epoch seconds.',
} as const;
const RATES = ['X-Rate-Limit-Limit', 'X-Rate-Limit-Remaining', 'X-Rate-Limit-Reset'] as const;

const json = (description: string, schema: keyof typeof SCHEMAS, ...headers: (keyof typeof HEADERS)[]): Response => ({
  description,
  type: 'application/json',
  schema,
  headers,
});
const page = (description: string): Response => ({ description, type: 'text/html' });
const redirect = (description: string): Response => ({ description, headers: ['Location'] });
const notModified: Response = { description: 'Not modified: the ETag matches If-None-Match.', headers: ['ETag'] };
const choice = (description: string, ...values: string[]): Parameter => ({ description, schema: oneOf(...values) });
const optional = (description: string): Parameter => ({ description });
const required = (description: string): Parameter => ({ description, isRequired: true });

const document = (id: string, summary: string, schema: keyof typeof SCHEMAS): { GET: Operation } => ({
  GET: { id, summary, responses: { 200: json(summary, schema, 'ETag'), 304: notModified } },
});
const resource = (
  id: string,
  summary: string,
  schema: keyof typeof SCHEMAS,
  more: { parameters?: Operation['parameters']; responses?: Operation['responses'] },
): { GET: Operation } => ({
  GET: {
    id,
    summary,
    security: 'accessToken',
    ...(more.parameters && { parameters: more.parameters }),
    responses: {
      200: json(summary, schema, ...RATES),
      401: json('The access token is missing, expired, revoked or unknown.', 'APIError', 'WWW-Authenticate', ...RATES),
      ...more.responses,
    },
  },
});
const limited: Operation['responses'] = {
  304: { ...notModified, headers: ['ETag', ...RATES] },
  403: json('The access token lacks the scope.', 'APIError', 'WWW-Authenticate', ...RATES),
  429: json('The rate limit is exceeded.', 'APIError', ...RATES),
};
const refusedClient = json('The client authentication is missing or wrong.', 'OAuthError', 'WWW-Authenticate');
const logout = (id: string): Operation => ({
  id,
  summary: 'Ends the session of the user',
  parameters: {
    id_token_hint: required('An ID Token of the user who signs out.'),
    post_logout_redirect_uri: required('A registered address.'),
    state: optional('Returned unchanged.'),
  },
  responses: { 302: redirect('To post_logout_redirect_uri, with state.'), 400: page('The request is invalid.') },
});
const userinfo = (id: string): Operation => ({
  id,
  summary: 'The claims of the user',
  security: 'accessToken',
  responses: {
    200: json('The claims.', 'Claims', 'Cache-Control'),
    400: json('The access token was sent twice, or in the query.', 'OAuthError', 'WWW-Authenticate'),
    401: json('The access token is missing, expired, revoked or unknown.', 'OAuthError', 'WWW-Authenticate'),
    403: json('The access token lacks the scope openid.', 'OAuthError', 'WWW-Authenticate'),
  },
});

/** Describes each operation of the service specification. */
const OPERATIONS: Readonly<Record<Path, { readonly [M in Method]?: Operation }>> = {
  [PATHS.openidConfiguration]: document('readOpenIDConfiguration', 'The OpenID configuration', 'ServerMetadata'),
  [PATHS.authorizationServer]: document('readServerMetadata', 'The authorization server metadata', 'ServerMetadata'),
  [PATHS.jwks]: document('readKeys', 'The public keys of the ID Tokens', 'Keys'),
  [PATHS.authorize]: {
    GET: {
      id: 'authorize',
      summary: 'Asks the user to sign in and to approve the access',
      parameters: {
        client_id: required('The public id of the application.'),
        response_type: { ...choice('The authorization code flow.', 'code'), isRequired: true },
        redirect_uri: required('A registered address.'),
        scope: optional('Separated by spaces. Form A: basic (default), colleagues, email. Form B: openid.'),
        state: optional('A unique text, returned unchanged.'),
        type: choice('Form A: the first page.', 'verify', 'login'),
        code_challenge: optional('Form B, required: the SHA-256 of the code verifier in base64url.'),
        code_challenge_method: choice('Form B, required.', 'S256'),
        prompt: choice('The pages that are shown.', 'none', 'login', 'consent', 'create'),
        display: choice('How the pages are shown.', 'page', 'popup'),
        response_mode: choice('Where the response is.', 'query', 'fragment'),
        nonce: optional('Form B: a random text, returned in the ID Token.'),
        id_token_hint: optional('Form B: an earlier ID Token, which fills in the sign-in name.'),
      },
      responses: {
        200: page('A page of the sign-in.'),
        302: redirect('To redirect_uri, with code and state, in Form B also session_state; or with error.'),
        400: page('The client or its redirect_uri is not registered: nothing is redirected.'),
      },
    },
  },
  [PATHS.token]: {
    POST: {
      id: 'issueTokens',
      summary: 'Redeems an authorization code, or refreshes tokens',
      security: 'clientSecretInForm',
      parameters: {
        grant_type: { ...choice('The kind of the request.', 'authorization_code', 'refresh_token'), isRequired: true },
        code: optional('Required for authorization_code.'),
        redirect_uri: optional('Required for authorization_code: the one of the authorization request.'),
        client_id: optional('Form A.'),
        client_secret: optional('Form A.'),
        code_verifier: optional('Form B, for authorization_code.'),
        refresh_token: optional('Required for refresh_token.'),
        scope: optional('For refresh_token: the granted scope or a part of it.'),
      },
      responses: {
        200: json('The tokens.', 'TokenResponse', 'Cache-Control'),
        400: json('The request or the grant is invalid.', 'OAuthError', 'Cache-Control'),
        401: refusedClient,
      },
    },
  },
  [PATHS.revoke]: {
    POST: {
      id: 'revokeTokens',
      summary: 'Revokes a token and the other one of its pair',
      security: 'clientSecretBasic',
      parameters: { token: required('An access or refresh token.') },
      responses: {
        200: { description: 'The token is not valid any more.' },
        400: json('The request is invalid.', 'OAuthError'),
        401: refusedClient,
      },
    },
  },
  [PATHS.userinfo]: { GET: userinfo('readUserinfo'), POST: userinfo('postUserinfo') },
  [PATHS.sessionState]: {
    GET: {
      id: 'checkSession',
      summary: 'The page of the session check, for a hidden iframe',
      responses: { 200: { ...page('The page.'), headers: ['ETag'] }, 304: notModified },
    },
  },
  [PATHS.logout]: { GET: logout('logOut'), POST: logout('postLogout') },
  [PATHS.currentUser]: resource('readProfile', 'The profile of the user (scope basic)', 'Profile', {
    responses: limited,
  }),
  [PATHS.colleagues]: resource('readColleagues', 'A page of the colleagues (scope colleagues)', 'ColleaguePage', {
    parameters: {
      page: { description: '1 by default.', schema: integer },
      per_page: { description: '30 by default.', schema: integer },
    },
    responses: { ...limited, 400: json('page or per_page is not a positive integer.', 'APIError', ...RATES) },
  }),
  [PATHS.rateLimit]: resource(
    'readRateLimit',
    'The rate limit, which this request does not change',
    'RateLimitStatus',
    {},
  ),
  [PAGE_PATHS.newMessage]: {
    GET: {
      id: 'writeMessage',
      summary: 'Opens a new message in the inbox',
      parameters: {
        url: optional('The shared address.'),
        message: optional('The text.'),
        subject: optional('The subject.'),
      },
      responses: {
        200: page('A form with these values.'),
        302: redirect('To the sign-in of a user without a session.'),
      },
    },
  },
};

const SERVERS = {
  issuer: { url: '{auth_url}', variables: { auth_url: { default: 'https://auth.service.example' } } },
  api: { url: '{base_url}', variables: { base_url: { default: 'https://api.service.example' } } },
};
const SECURITY = {
  clientSecretBasic: [{ clientSecretBasic: [] }],
  // Form A sends the secret in the form.
  clientSecretInForm: [{ clientSecretBasic: [] }, {}],
  accessToken: [{ accessToken: [] }],
};

/** @returns the service as an OpenAPI 3.1 document: the paths and methods of the route table with their descriptions. */
export function serviceDocument(): Record<string, unknown> {
  const issuer = 'http://127.0.0.1:4400';
  const { find } = createRoutes(
    createInstance(resolveOptions({}), { issuer, port: 4400, apiOrigin: issuer, inspectorURL: undefined }),
  );
  const paths = SERVICE_PATHS.map((path) => {
    const server = isAtAddress(path, 'api') ? SERVERS.api : SERVERS.issuer;
    const methods = (['GET', 'POST'] as const).filter((method) => find(path)?.[method] !== undefined);
    const operations = methods.map((method) => [method.toLowerCase(), describe(method, OPERATIONS[path][method])]);
    return [path, { servers: [server], ...Object.fromEntries(operations) }];
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'The clinician identity, profile and network service',
      version: '1',
      description:
        'The service as its specification describes it. The mock provider of passport-clinician serves it; its tests compare each response with this document. Form A is the profile flow, Form B is OpenID Connect with PKCE.',
    },
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, keywords(schema)])),
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
      securitySchemes: {
        clientSecretBasic: { type: 'http', scheme: 'basic' },
        accessToken: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function describe(method: Method, operation: Operation | undefined): Record<string, unknown> {
  if (operation === undefined) throw new Error('A route of the service has no description: add it to OPERATIONS.');
  const { id, summary, security, parameters = {}, responses } = operation;
  const named = Object.entries(parameters);
  return {
    operationId: id,
    summary,
    security: security === undefined ? [] : SECURITY[security],
    ...(named.length > 0 && (method === 'GET' ? query(named) : form(named))),
    responses: Object.fromEntries(Object.entries(responses).map(([status, one]) => [status, describeResponse(one)])),
  };
}

type Named = readonly (readonly [name: string, parameter: Parameter])[];

function query(named: Named): Record<string, unknown> {
  const parameters = named.map(([name, { description, isRequired = false, schema = text }]) => ({
    ...{ name, in: 'query', description, required: isRequired },
    schema: keywords(schema),
  }));
  return { parameters };
}

function form(named: Named): Record<string, unknown> {
  const properties = named.map(([name, { description, schema = text }]) => [
    name,
    { ...keywords(schema), description },
  ]);
  const required = named.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  return { requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema } } } };
}

function describeResponse({ description, type, schema, headers = [] }: Response): Record<string, unknown> {
  const content = type && {
    [type]: { schema: schema ? { $ref: `#/components/schemas/${schema}` } : { type: 'string' } },
  };
  const references = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    description,
    ...(references.length > 0 && { headers: Object.fromEntries(references) }),
    ...(content && { content }),
  };
}

/** @returns the keywords of JSON Schema of a schema. */
function keywords({ expects: _, check: __, accepts: ___, title: ____, ...schema }: Schema): Record<string, unknown> {
  const { properties, items } = schema;
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, keywords(member)]);
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: keywords(items) }),
  };
}
