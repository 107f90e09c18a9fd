import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, half } from './answer.js';
import { readBody } from './body.js';
import type { House } from './house.js';
import { MockRequest } from './request.js';
import { answer, isOurs } from './router.js';

/** A handler for node:http, for supertest, and for Express (`app.use(provider.app)`). */
export type MockProviderApp = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;

export function createApp(house: House): MockProviderApp {
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    const http = new MockRequest(req.method ?? 'GET', req.url ?? '/', req.headers, body, req.socket);
    const answered = await answer(house, http);
    if (answered.delay) writeLate(answered.delay, res, http.method, answered);
    else write(res, http.method, answered);
  }

  return function mockProvider(req, res, next) {
    if (next && !isOurs(house, (req.url ?? '/').split('?', 1)[0] as string)) return next();
    handle(req, res).catch((error: unknown) => {
      if (next) next(error);
      else if (res.headersSent || res.destroyed) res.destroy();
      else res.writeHead(500).end();
    });
  };
}

/** Who waits no longer leaves no timer behind. */
function writeLate(delay: number, res: ServerResponse, method: string, answered: Answer): void {
  const timer = setTimeout(write, delay, res, method, answered);
  res.once('close', () => clearTimeout(timer));
}

function write(res: ServerResponse, method: string, { status, headers, body, silence }: Answer): void {
  if (silence === 'hang' || res.destroyed) return;
  if (silence === 'reset') {
    res.destroy();
    return;
  }
  const hasBody = status !== 204 && status !== 304;
  res.writeHead(status, hasBody ? { ...headers, 'Content-Length': Buffer.byteLength(body) } : headers);
  if (silence === 'stall') res.write(half(body));
  else if (silence === 'cut') res.write(half(body), () => res.destroy());
  else res.end(method === 'HEAD' || !hasBody ? undefined : body);
}
