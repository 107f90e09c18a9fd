import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PATHS } from '../../lib/mock-provider/http/paths.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { knownParameters } from '../../lib/mock-provider/recording/observed-parameters.js';
import { expectGenerated } from '../helpers/generated-document.js';
import { type JSONSchema, mismatches } from '../helpers/json-schema.js';
import { Visitor } from '../mock-provider/visitor.js';
import {
  authorization,
  basic,
  codeFields,
  codeOf,
  encode,
  type Fields,
  POST_LOGOUT_URI,
  registerStrict,
  type Tokens,
  tokensOf,
} from '../mock-provider/wire.js';
import { serviceDocument } from './service-openapi.js';

interface Described {
  operationId: string;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, { schema: JSONSchema }> };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, { schema: JSONSchema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JSONSchema> };
}

const FORM = 'application/x-www-form-urlencoded';
const NEW_MESSAGE = '/inbox/conversations/new_message';
const { paths, components } = serviceDocument() as unknown as Document;
const operations = Object.entries(paths).flatMap(([path, { servers: _, ...methods }]) =>
  Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
);

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ apiPort: 0, rateLimit: { limit: 20 } });
});
afterAll(() => provider.stop());

test('docs/reference/service.openapi.json is the document of the route table', () => {
  expectGenerated(
    'docs/reference/service.openapi.json',
    JSON.stringify(serviceDocument(), null, 2),
    'npm run docs:openapi',
  );
});

test('each described parameter is one that the endpoint reads', () => {
  const unknown = operations.flatMap(({ path, described: { parameters = [], requestBody } }) => {
    const inForm = Object.keys(requestBody?.content[FORM]?.schema.properties ?? {});
    const known = knownParameters(path);
    return [...parameters.map(({ name }) => name), ...inForm].filter((name) => known && !known.includes(name));
  });
  expect(unknown).toEqual([]);
});

describe('the responses of the mock provider', () => {
  const seen = new Set<string>();

  /** Sends a request and compares its response with the document. */
  async function check(
    method: string,
    path: string,
    init: { query?: Fields; form?: Fields; headers?: Record<string, string> } = {},
  ) {
    const isAPI = path.startsWith('/api/') || path === NEW_MESSAGE;
    const body = init.form && encode(init.form);
    const query = init.query ? `?${encode(init.query)}` : '';
    const response = await fetch((isAPI ? provider.apiURL : provider.issuer) + path + query, {
      method,
      redirect: 'manual',
      headers: { ...(body !== undefined && { 'content-type': `${FORM}; charset=utf-8` }), ...init.headers },
      ...(body !== undefined && { body }),
    });
    const { status, headers } = response;
    const described = paths[path]?.[method.toLowerCase()]?.responses[status];
    const name = `${method} ${path} ${status}`;
    expect([name, described]).toEqual([name, expect.anything()]);
    expect([name, Object.keys(described?.headers ?? {}).filter((one) => !headers.has(one))]).toEqual([name, []]);
    const sent = await response.text();
    const [[type, { schema }] = [undefined, { schema: {} }]] = Object.entries(described?.content ?? {});
    expect([name, sent === '']).toEqual([name, type === undefined]);
    if (type !== undefined) expect(headers.get('content-type')).toContain(type);
    const value = type === 'application/json' ? (JSON.parse(sent) as unknown) : sent;
    if (type !== undefined) expect([name, mismatches(schema, value, components.schemas)]).toEqual([name, []]);
    seen.add(name);
    return { status, headers, value };
  }

  const bearer = ({ access_token }: Tokens) => ({ authorization: `Bearer ${access_token}` });
  const html = { accept: 'text/html' };

  test('are described: documents and the session check', async () => {
    for (const path of [PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks, PATHS.sessionState]) {
      const { headers } = await check('GET', path);
      await check('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    }
  });

  test('are described: authorization', async () => {
    const { openid } = provider.clients;
    await check('GET', PATHS.authorize, { query: authorization(openid), headers: html });
    await check('GET', PATHS.authorize, { query: authorization(openid, { prompt: 'none' }) });
    await check('GET', PATHS.authorize, { query: { client_id: 'unknown' }, headers: html });
  });

  test('are described: tokens and revocation, in both flows', async () => {
    for (const client of [provider.clients.openid, provider.clients.profile]) {
      const isOpenID = client.flow === 'openid';
      const { clientID: client_id, clientSecret: client_secret } = client;
      const secret = isOpenID ? {} : { client_id, client_secret };
      const headers: Record<string, string> = isOpenID ? { authorization: basic(client) } : {};
      const form = { ...codeFields(client, await codeOf(provider, client)), ...secret };
      const { value } = await check('POST', PATHS.token, { form, headers });
      const { refresh_token } = value as Tokens;
      await check('POST', PATHS.token, { form: { grant_type: 'refresh_token', refresh_token, ...secret }, headers });
      await check('POST', PATHS.token, { form, headers });
      await check('POST', PATHS.token, { form: { ...form, client_secret: undefined } });
      const authorization = basic(client);
      await check('POST', PATHS.revoke, { form: { token: refresh_token }, headers: { authorization } });
      await check('POST', PATHS.revoke, { form: {}, headers: { authorization } });
      await check('POST', PATHS.revoke, { form: { token: refresh_token } });
    }
  });

  test('are described: userinfo', async () => {
    const [openid, profile] = [provider.clients.openid, provider.clients.profile];
    const [withOpenID, without] = [await tokensOf(provider, openid), await tokensOf(provider, profile)];
    for (const method of ['GET', 'POST']) {
      await check(method, PATHS.userinfo, { headers: bearer(withOpenID) });
      await check(method, PATHS.userinfo, { headers: bearer(without) });
      await check(method, PATHS.userinfo);
      await check(method, PATHS.userinfo, { query: { access_token: 'x' } });
    }
  });

  test('are described: logout', async () => {
    const client = registerStrict(provider, 'openid');
    for (const method of ['GET', 'POST']) {
      const { id_token } = await tokensOf(provider, client);
      const fields = { id_token_hint: id_token, post_logout_redirect_uri: POST_LOGOUT_URI, state: 'x' };
      const sent = (all: Fields) => (method === 'GET' ? { query: all, headers: html } : { form: all, headers: html });
      await check(method, PATHS.logout, sent(fields));
      await check(method, PATHS.logout, sent({ ...fields, id_token_hint: 'x' }));
    }
  });

  test.each(['verified', 'minimal', 'connected', 'hostile'])('are described: the API as %s', async (as) => {
    const { profile } = provider.clients;
    const tokens = await tokensOf(provider, profile, { as, scope: 'basic colleagues email' });
    const headers = bearer(tokens);
    for (const path of [PATHS.currentUser, PATHS.colleagues]) {
      const first = await check('GET', path, { headers });
      await check('GET', path, { headers: { ...headers, 'if-none-match': first.headers.get('etag') ?? '' } });
    }
    await check('GET', PATHS.rateLimit, { headers });
    await check('GET', PATHS.colleagues, { headers, query: { page: '2', per_page: '10' } });
    await check('GET', PATHS.colleagues, { headers, query: { page: '0' } });
  });

  test('are described: refusals of the API, and the rate limit', async () => {
    const { profile } = provider.clients;
    const narrow = bearer(await tokensOf(provider, profile, { as: 'pending', scope: 'email' }));
    for (const path of [PATHS.currentUser, PATHS.colleagues]) await check('GET', path, { headers: narrow });
    for (const path of [PATHS.currentUser, PATHS.colleagues, PATHS.rateLimit]) await check('GET', path);
    for (let count = 0; count < 20; count += 1) await fetch(provider.apiURL + PATHS.currentUser, { headers: narrow });
    for (const path of [PATHS.currentUser, PATHS.colleagues]) await check('GET', path, { headers: narrow });
  });

  test('are described: the new message, before and after the sign-in', async () => {
    const { headers } = await check('GET', NEW_MESSAGE, { query: { subject: 'A case' } });
    expect(headers.get('location')).toMatch(/^\/oauth\/sign-in/);
    const visitor = new Visitor({ issuer: provider.apiURL });
    await visitor.signIn(await visitor.follow(await visitor.get(NEW_MESSAGE)), 'verified');
    const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    await check('GET', NEW_MESSAGE, { headers: { cookie } });
  });

  test('include every response that the document describes', () => {
    const all = operations.flatMap(({ path, method, described }) =>
      Object.keys(described.responses).map((status) => `${method} ${path} ${status}`),
    );
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((name) => !seen.has(name))).toEqual([]);
  });
});
