// Whoever imports this overhears everything that the sites of a test file say, and what travels between them and the provider.
// When the tests are through, nothing of the one may hold a token, a code, a verifier or a secret of the other (attack 198).
import { ClientRequest, type IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import session from 'express-session';

const PROVIDER = /^(?:\/(?:idp|sandbox\/\d+))?\/(?:oauth|\.well-known|api\/v1|inbox|_mock)\/|^\/share-button\.js/;
const HANDED_OUT = /"(?:access_token|refresh_token|id_token)":"([^"]+)"|[?&]code=([^&#\s"]+)/g;
const SENT = /(?:^|&)(?:code_verifier|client_secret|refresh_token|code|token)=([^&]+)/g;

const secrets = new Set<string>();
const said: { where: string; text: string }[] = [];
const undo: (() => void)[] = [];

/** Hears of every call, and lets it be as it is. */
function overhear<T extends object>(
  target: T,
  name: keyof T & string,
  hear: (self: never, args: unknown[]) => unknown,
) {
  const act = target[name] as (...args: unknown[]) => unknown;
  const heard = function (this: unknown, ...args: unknown[]) {
    return hear(this as never, args) === 'swallow' ? true : Reflect.apply(act, this, args);
  };
  Object.defineProperty(target, name, { value: heard, configurable: true, writable: true });
  undo.push(() => Object.defineProperty(target, name, { value: act, configurable: true, writable: true }));
}

function note(text: string, pattern: RegExp): void {
  for (const [, one, other] of text.matchAll(pattern)) {
    const value = decodeURIComponent((one ?? other) as string);
    // A code that a test made up is no secret, and may be shown.
    if (value.length >= 20) secrets.add(value);
  }
}

overhear(
  ServerResponse.prototype,
  'end',
  (res: ServerResponse & { req: IncomingMessage & { originalUrl?: string } }, [body]) => {
    const url = res.req.originalUrl ?? res.req.url ?? '';
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : '';
    const location = String(res.getHeader('location') ?? '');
    if (PROVIDER.test(url)) return note(`${text} ${location}`, HANDED_OUT);
    // Where the logout leads to, the ID Token goes along: the service asks for it (spec, /oauth/logout).
    const headers = { ...res.getHeaders(), ...(location.includes('/oauth/logout') && { location: '' }) };
    said.push({ where: `${res.req.method} ${url.split('?', 1)[0]}`, text: `${inspect(headers)} ${text}` });
  },
);
overhear(ServerResponse.prototype, 'writeHead', (res: ServerResponse & { req: IncomingMessage }, args) => {
  if (PROVIDER.test(res.req.url ?? '')) note(JSON.stringify(args), HANDED_OUT);
});
overhear(ClientRequest.prototype, 'end', (request: ClientRequest, [body]) => {
  if (typeof body === 'string' && PROVIDER.test(request.path)) note(body, SENT);
});
overhear(
  process,
  'emitWarning',
  (_process, args) => void said.push({ where: 'a warning', text: inspect(args, { depth: 9 }) }),
);
overhear(process.stderr, 'write', (_stream, [line]) => {
  const text = String(line);
  if (!text.startsWith('clinician:')) return undefined;
  said.push({ where: 'the log', text });
  return 'swallow';
});
overhear(
  session.MemoryStore.prototype,
  'set',
  (_store, [, kept]) => void said.push({ where: 'a session', text: inspect(kept, { depth: 9 }) }),
);

beforeAll(() => {
  process.env.DEBUG = 'clinician:*';
});

afterAll(() => {
  process.env.DEBUG = '';
  for (const back of undo) back();
  const leaks = said.flatMap(({ where, text }) =>
    [...secrets].filter((secret) => text.includes(secret)).map(() => where),
  );
  expect([...new Set(leaks)]).toEqual([]);
});
