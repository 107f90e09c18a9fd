import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, answerDocument, emptyAnswer, jsonAnswer, staticDocument } from './answer.js';
import { authorize } from './endpoints/authorize.js';
import { currentUser, rateLimit } from './endpoints/current-user.js';
import { logout } from './endpoints/logout.js';
import { answerResource } from './endpoints/resource-api.js';
import { revoke } from './endpoints/revoke.js';
import { token, tokenError } from './endpoints/token.js';
import { userinfo } from './endpoints/userinfo.js';
import { spoilAnswer } from './faults/faults.js';
import type { House } from './house.js';
import { PAGE_ROUTES } from './interactions/routes.js';
import { authorizationServerMetadata, openidConfiguration, PATHS } from './protocol/metadata.js';
import type { Recorder } from './recorder.js';
import { Refusal, type Refused } from './refusal.js';
import { MockRequest } from './request.js';
import type { Endpoint, Route } from './route.js';

const PUBLIC = {
  'Content-Type': 'application/json',
  'Cache-Control': 'public, max-age=300',
  'Access-Control-Allow-Origin': '*',
};
const MAX_BODY = 100_000;

/** A document made once for each version of what it is made of. */
function document(make: (house: House) => unknown, version: (house: House) => unknown = () => 0): Route {
  const made = new WeakMap<House, { version: unknown; document: ReturnType<typeof staticDocument> }>();
  const GET: Endpoint = (house, request) => {
    let known = made.get(house);
    if (known === undefined || known.version !== version(house)) {
      known = { version: version(house), document: staticDocument(JSON.stringify(make(house)), PUBLIC) };
      made.set(house, known);
    }
    return answerDocument(known.document, request.headers['if-none-match']);
  };
  return { GET, head: true };
}

/** The route table: fixed paths, so a Map and no framework. */
const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  [PATHS.openidConfiguration, document(({ issuer }) => openidConfiguration(issuer))],
  [PATHS.authorizationServer, document(({ issuer }) => authorizationServerMetadata(issuer))],
  [
    PATHS.jwks,
    document(
      ({ keys }) => ({ keys: keys.keys().map((key) => key.publicJWK) }),
      ({ keys }) => keys.version,
    ),
  ],
  [PATHS.authorize, { GET: authorize, POST: authorize }],
  [PATHS.token, { POST: token }],
  [PATHS.revoke, { POST: revoke }],
  [PATHS.userinfo, { GET: userinfo, POST: userinfo, head: true }],
  [PATHS.logout, { GET: logout, POST: logout }],
  [PATHS.currentUser, { GET: (house, request) => answerResource(house, request, currentUser), head: true }],
  [PATHS.rateLimit, { GET: (house, request) => answerResource(house, request, rateLimit), head: true }],
  ...PAGE_ROUTES,
]);

/** Answers one request, whatever it came over. */
export async function answer(house: House, recorder: Recorder, request: MockRequest): Promise<Answer> {
  const answered = await route(house, request);
  const fault = house.faults.strike('wire', request.path, undefined);
  const final = fault ? spoilAnswer(fault.name, answered, fault.options.milliseconds ?? 1000) : answered;
  recorder.add(house.clock.now(), request, final);
  return final;
}

/** Decisions 1 and 2. */
async function route(house: House, request: MockRequest): Promise<Answer> {
  const found = ROUTES.get(request.path);
  if (found === undefined)
    return jsonAnswer(404, { message: 'Not Found', documentation_url: 'https://developer.service.example' });
  const method = request.method === 'HEAD' && found.head ? 'GET' : request.method;
  const endpoint = method === 'GET' || method === 'POST' ? found[method] : undefined;
  if (endpoint !== undefined) return settle(house, request, await endpoint(house, request));
  const allow = [
    ...(found.GET ? ['GET'] : []),
    ...(found.GET && found.head ? ['HEAD'] : []),
    ...(found.POST ? ['POST'] : []),
  ].join(', ');
  return emptyAnswer(request.method === 'OPTIONS' ? 204 : 405, { Allow: allow });
}

function settle(house: House, request: MockRequest, result: Answer | Refused | Refusal): Answer {
  const refusal = result instanceof Refusal ? result : 'refusal' in result ? result.refusal : undefined;
  if (refusal === undefined) return result as Answer;
  house.problems.add(house.clock.now(), request.path, request.query.get('client_id'), refusal);
  return result instanceof Refusal ? tokenError(refusal) : (result as Refused).answer;
}

async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function write(res: ServerResponse, method: string, answered: Answer): void {
  if (answered.silence === 'hang') return;
  if (answered.silence === 'reset') {
    res.destroy();
    return;
  }
  res.statusCode = answered.status;
  for (const [name, value] of Object.entries(answered.headers)) res.setHeader(name, value);
  if (answered.status !== 204 && answered.status !== 304)
    res.setHeader('Content-Length', Buffer.byteLength(answered.body));
  res.end(method === 'HEAD' ? undefined : answered.body);
}

/** A handler for node:http, for supertest, and for Express (`app.use(provider.app)`). */
export type MockProviderApp = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;

export function createApp(house: House, recorder: Recorder): MockProviderApp {
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    const [path = '/', ...rest] = (req.url ?? '/').split('?');
    const request = new MockRequest(req.method ?? 'GET', path, rest.join('?'), req.headers, body ?? '');
    const answered =
      body === undefined ? emptyAnswer(413, { Connection: 'close' }) : await answer(house, recorder, request);
    if (answered.delay) setTimeout(write, answered.delay, res, request.method, answered);
    else write(res, request.method, answered);
  }
  return function mockProvider(req, res, next) {
    if (next && !ROUTES.has((req.url ?? '/').split('?')[0] as string)) return next();
    handle(req, res).catch((error: unknown) => (next ? next(error) : res.destroy(error as Error)));
  };
}
