// A test file that imports this module captures everything that its sites output, and the secrets between them and the provider.
// After its tests, no output may contain a token, code, verifier or client secret.
import { ClientRequest, type IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import session from 'express-session';

const PROVIDER = /^(?:\/idp)?\/(?:oauth|\.well-known|api\/v1|inbox|_mock)\/|^\/share-button\.js/;
const ISSUED = /"(?:access_token|refresh_token|id_token)":"([^"]+)"|[?&]code=([^&#\s"]+)/g;
const SENT = /(?:^|&)(?:code_verifier|client_secret|refresh_token|code|token)=([^&]+)/g;
/** The logout request of the browser contains the ID Token: the service requires it (spec, /oauth/logout). */
const LOGOUT_HINT = /id_token_hint(=|" value=")[\w.-]+/g;
/** So does the redirect to an authorization request of the user of a login (spec, GET /oauth/authorize). */
const LOGIN_HINT = /(\/oauth\/authorize\?\S*?)id_token_hint=[\w.-]+/g;
/** The page that reloads the callback, for a SameSite=Strict session, repeats the code of its own request. */
const RELOADED_CALLBACK = /"[^"]*\breloaded=1"/g;
/** Codes that a test invents are shorter, and not secret. */
const MIN_SECRET_LENGTH = 20;

/** Runs of the usual characters of a secret that are long enough for one. */
const RUNS = /[\w.~-]{20,}/g;
const ONE_RUN = /^[\w.~-]+$/;

/** The values that no output may contain. */
export const secrets: Set<string> = new Set();
const outputs: { source: string; text: string }[] = [];
const restorers: (() => void)[] = [];

/** Adds what only a test can read, such as the contents of a store. */
export function captureOutput(source: string, output: unknown): void {
  outputs.push({ source, text: typeof output === 'string' ? output : inspect(output, { depth: 9 }) });
}

/** Calls a listener before each call of a method. */
function intercept<T extends object>(
  target: T,
  name: keyof T & string,
  listener: (self: never, args: unknown[]) => void,
) {
  const original = target[name] as (...args: unknown[]) => unknown;
  const intercepted = function (this: unknown, ...args: unknown[]) {
    listener(this as never, args);
    return Reflect.apply(original, this, args);
  };
  Object.defineProperty(target, name, { value: intercepted, configurable: true, writable: true });
  restorers.push(() => Object.defineProperty(target, name, { value: original, configurable: true, writable: true }));
}

function addSecrets(text: string, pattern: RegExp): void {
  for (const [, one, other] of text.matchAll(pattern)) {
    const value = decodeURIComponent((one ?? other) as string);
    if (value.length >= MIN_SECRET_LENGTH) secrets.add(value);
  }
}

intercept(
  ServerResponse.prototype,
  'end',
  (res: ServerResponse & { req: IncomingMessage & { originalUrl?: string } }, [body]) => {
    const url = res.req.originalUrl ?? res.req.url ?? '';
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : '';
    const location = String(res.getHeader('location') ?? '');
    if (PROVIDER.test(url)) return addSecrets(`${text} ${location}`, ISSUED);
    const source = `${res.req.method} ${url.split('?', 1)[0]}`;
    const headers = { ...res.getHeaders(), location: location.replace(LOGIN_HINT, '$1') };
    const output = `${inspect(headers)} ${text}`;
    const hasOpaqueOrigin = String(res.getHeader('Content-Security-Policy')).startsWith('sandbox ');
    // A site that has only the strategy redirects the form of its sign-out.
    const allowed =
      /^(?:GET .*\/end-session|POST \/sign-out)$/.test(source) || hasOpaqueOrigin ? LOGOUT_HINT : RELOADED_CALLBACK;
    outputs.push({ source, text: output.replace(allowed, '') });
  },
);
intercept(ServerResponse.prototype, 'writeHead', (res: ServerResponse & { req: IncomingMessage }, args) => {
  if (PROVIDER.test(res.req.url ?? '')) addSecrets(JSON.stringify(args), ISSUED);
});
intercept(ClientRequest.prototype, 'end', (request: ClientRequest, [body]) => {
  if (typeof body === 'string' && PROVIDER.test(request.path)) addSecrets(body, SENT);
});
// `process` belongs to the test file, and an outage may end after its tests: both are captured to the end of the file.
process.emitWarning = (...args: unknown[]) => {
  outputs.push({ source: 'a warning', text: inspect(args, { depth: 9 }) });
};
const { stderr } = process;
Object.defineProperty(process, 'stderr', {
  value: Object.create(stderr, {
    write: {
      writable: true,
      value(line: string) {
        if (!/^(?:clinician:|passport-clinician \[)/.test(line)) return stderr.write(line);
        outputs.push({ source: 'the log', text: line });
        return true;
      },
    },
  }),
});
intercept(
  session.MemoryStore.prototype,
  'set',
  (_store, [, stored]) => void outputs.push({ source: 'a session', text: inspect(stored, { depth: 9 }) }),
);

/**
 * @returns the sources of the outputs that contain a secret. A secret of the usual characters is within one run of them. So only the
 *   runs are searched, each once: thousands of outputs and thousands of secrets have millions of pairs.
 */
function findLeaks(): string[] {
  const unusual = [...secrets].filter((secret) => !ONE_RUN.test(secret));
  const byStart = new Map<string, string[]>();
  for (const secret of secrets) {
    const start = secret.slice(0, MIN_SECRET_LENGTH);
    byStart.set(start, [...(byStart.get(start) ?? []), secret]);
  }
  const isLeak = new Map<string, boolean>();
  const hasSecret = (run: string): boolean => {
    for (let at = 0; at <= run.length - MIN_SECRET_LENGTH; at += 1) {
      const candidates = byStart.get(run.slice(at, at + MIN_SECRET_LENGTH));
      if (candidates?.some((secret) => run.startsWith(secret, at))) return true;
    }
    return false;
  };
  const leaks = outputs.filter(({ text }) => {
    for (const run of text.match(RUNS) ?? []) {
      if (!isLeak.has(run)) isLeak.set(run, hasSecret(run));
      if (isLeak.get(run)) return true;
    }
    return unusual.some((secret) => text.includes(secret));
  });
  return leaks.map(({ source }) => source);
}

beforeAll(() => {
  process.env.DEBUG = 'clinician:*';
});

afterAll(() => {
  process.env.DEBUG = '';
  for (const restore of restorers) restore();
  expect([...new Set(findLeaks())]).toEqual([]);
});
