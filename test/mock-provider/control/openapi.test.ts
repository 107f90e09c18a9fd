import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { root } from '../../architecture/imports.js';
import { expectGenerated } from '../../helpers/generated-document.js';
import { type JSONSchema, mismatches } from '../../helpers/json-schema.js';
import { authorizeURL, send, tokensOf } from '../wire.js';
import { openAPIDocument } from './openapi-document.js';

type Content = Record<string, { schema: JSONSchema; example?: unknown }>;
interface Described {
  operationId: string;
  requestBody?: { content: Content };
  parameters?: { name: string; schema: JSONSchema }[];
  responses: Record<string, { content: Content }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JSONSchema> };
}

const DOCUMENT = 'docs/reference/mock-provider.openapi.json';

let provider: MockProvider;
let served: Document;
beforeAll(async () => {
  provider = await startMockProvider({ control: true });
  // First, because this document is served.
  expectGenerated(DOCUMENT, JSON.stringify(openAPIDocument(), null, 2), 'npm run docs:openapi');
  served = (await send(provider, '/_mock/openapi.json')).json as Document;
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const mismatchesIn = (schema: JSONSchema, value: unknown) => mismatches(schema, value, served.components.schemas);

test('docs/reference/mock-provider.openapi.json is the served document', () => {
  expect(served).toEqual(JSON.parse(readFileSync(join(root, DOCUMENT), 'utf8')));
});

test('the document is OpenAPI 3.1, operation ids are unique, and the index lists all operations', async () => {
  expect(served.openapi).toBe('3.1.0');
  const all = Object.entries(served.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      line: `${method.toUpperCase()} ${path}:`,
      operationId,
    })),
  );
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  const { json } = await send(provider, '/_mock');
  const listed = (json.operations as string[]).map((line) => line.slice(0, line.indexOf(':') + 1));
  expect(listed.sort()).toEqual(all.map(({ line }) => line).sort());
});

/** The example of an operation, or values of the running provider where an example cannot work. */
function bodyOf({ operationId, requestBody }: Described, idToken: string): unknown {
  const { schema, example } = requestBody?.content['application/json'] ?? {};
  if (operationId === 'signIn')
    return { authorizeURL: authorizeURL(provider, provider.clients.openid), as: 'verified' };
  if (operationId === 'signOut') {
    const query = { id_token_hint: idToken, post_logout_redirect_uri: 'http://127.0.0.1:5001/' };
    return { logoutURL: `${provider.issuer}/oauth/logout?${new URLSearchParams(query)}`, as: 'verified' };
  }
  if (operationId === 'addClinician') return { ...(example as object), username: `alice ${Math.random()}` };
  if (example !== undefined) expect(mismatchesIn(schema ?? {}, example)).toEqual([]);
  return example ?? {};
}

test('every operation responds with the documented status, type and schema', async () => {
  let checked = 0;
  for (const [path, methods] of Object.entries(served.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const { id_token } = await tokensOf(provider, provider.clients.openid);
      await send(provider, '/oauth/authorize?client_id=unknown');
      const init = described.requestBody && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(described, id_token)),
      };
      const reply = await send(provider, path, { method: method.toUpperCase(), ...init });
      const [status, response] = Object.entries(described.responses)[0] ?? [];
      expect([path, method, reply.status, reply.text]).toEqual([path, method, Number(status), expect.anything()]);
      const [type, { schema }] = Object.entries(response?.content ?? {})[0] as [string, { schema: JSONSchema }];
      expect(reply.headers.get('content-type')).toContain(type);
      expect({ path, mismatches: mismatchesIn(schema, type === 'text/plain' ? reply.text : reply.json) }).toEqual({
        path,
        mismatches: [],
      });
      checked += 1;
      provider.reset();
    }
  }
  expect(checked).toBeGreaterThan(18);
});

test('every operation refuses an unknown parameter or member as documented', async () => {
  let checked = 0;
  for (const [path, methods] of Object.entries(served.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      const body = requestBody && { headers: { 'content-type': 'application/json' }, body: '{"nonsense":1}' };
      const target = requestBody ? path : `${path}?nonsense=1`;
      const { status, json } = await send(provider, target, { method: method.toUpperCase(), ...body });
      expect([target, status]).toEqual([target, 400]);
      expect(mismatchesIn(responses.default?.content['application/json']?.schema ?? {}, json)).toEqual([]);
      expect(json.message).toContain('nonsense');
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(18);
});
