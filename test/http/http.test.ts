import dns from 'node:dns';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { isClinicianError } from '../../lib/errors/errors.js';
import { createFetch, type FetchInit, type FetchOptions, limitFetch } from '../../lib/http/http.js';
import { isLoopbackHost } from '../../lib/http/url.js';
import { KEEP_IDLE_CONNECTIONS } from '../authorization-server/hostile-authorization-server.js';
import { testCertificates } from '../authorization-server/test-certificates.js';
import { freePort, textOf } from '../helpers.js';

const running: net.Server[] = [];
const sockets: net.Socket[] = [];

async function listen(server: net.Server, host = '127.0.0.1'): Promise<number> {
  running.push(server);
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(http.createServer(KEEP_IDLE_CONNECTIONS, listener))}`;
}

async function serveBytes(...bytes: (string | Buffer)[]): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      for (const chunk of bytes) socket.write(chunk);
      socket.end();
    });
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

async function failure(url: string, options: FetchOptions = {}, init: FetchInit = {}) {
  const error: unknown = await createFetch(options)(url, init).then(
    () => 'it was expected to fail',
    (reason: unknown) => reason,
  );
  if (isClinicianError(error)) return error;
  throw error;
}

afterEach(async () => {
  jest.restoreAllMocks();
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of running.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

describe("limitFetch() of a site's own fetch", () => {
  const timeout = { code: 'service_unreachable', retryable: true };

  test('rejects after the time limit, also where that fetch ignores its signal', async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const fetch = limitFetch((_, init) => {
      signals.push(init?.signal);
      return new Promise(() => undefined);
    }, 20);
    await expect(fetch('https://service.example/path')).rejects.toMatchObject(timeout);
    expect(signals[0]?.aborted).toBe(true);
    await expect(fetch('https://service.example/path', { signal: new AbortController().signal })).rejects.toMatchObject(
      timeout,
    );
  });

  test('aborts a body that is not complete', async () => {
    const url = await serve((_, response) => void response.write('part'));
    const limit = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
    const response = await limitFetch(globalThis.fetch as never, 200)(url);
    expect(timeout.mock.calls).toEqual([[200]]);
    limit.abort();
    await expect(textOf(response)).rejects.toThrow();
  });

  test('passes the signal of the caller, the response and the error', async () => {
    const reason = new Error('aborted by the caller');
    const fetch = limitFetch((_, init) => {
      init?.signal?.throwIfAborted();
      return Promise.resolve(new Response('hello'));
    }, 1_000);
    expect(await textOf(await fetch('https://service.example'))).toBe('hello');
    await expect(fetch('https://service.example', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('createFetch', () => {
  test('sends a request and returns the response', async () => {
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(201, { 'content-type': 'text/plain', 'x-two': ['a', 'b'] });
      response.end(JSON.stringify({ method: request.method, path: request.url, headers: request.headers, body }));
    });
    const init = { method: 'POST', headers: { 'X-Own': 'yes' }, body: new URLSearchParams({ a: 'b c', d: '\u00e4' }) };
    const response = await createFetch()(`${url}/path?query=1`, init);
    expect(response.status).toBe(201);
    expect(response.headers.get('x-two')).toBe('a, b');
    expect(JSON.parse(await textOf(response))).toMatchObject({
      method: 'POST',
      path: '/path?query=1',
      body: 'a=b+c&d=%C3%A4',
      headers: { 'x-own': 'yes', 'accept-encoding': 'identity', 'content-length': '14' },
    });
  });

  test.each([204, 304])('a response with status %d has no body', async (status) => {
    const url = await serve((_, response) => response.writeHead(status, { etag: '"1"' }).end());
    const response = await createFetch()(url);
    expect(response.status).toBe(status);
    expect(response.headers.get('etag')).toBe('"1"');
    expect(await textOf(response)).toBe('');
  });

  test('connections are reused', async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const fetch = createFetch();
    for (let i = 0; i < 5; i += 1) await textOf(await fetch(url));
    expect(ports.size).toBe(1);
  });

  test.each(['GET', 'POST'])('a GET is repeated on a closed connection, and a POST is not (%s)', async (method) => {
    let requests = 0;
    const server = net.createServer((socket) => {
      let first = true;
      socket.on('error', () => {});
      socket.on('data', () => {
        requests += 1;
        // Resets the connection at the second request, as a server does that closes an idle connection.
        if (first) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n');
        else socket.resetAndDestroy();
        first = false;
      });
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    const fetch = createFetch();
    await fetch(url, { method });
    const outcome = await fetch(url, { method }).then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    );
    expect(outcome).toBe(method === 'GET' ? 200 : 'service_unreachable');
    expect(requests).toBe(method === 'GET' ? 3 : 2);
  });

  test.each([302, 307])('a %d is returned and not followed', async (status) => {
    const paths: unknown[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect((await createFetch()(url, { method: 'POST', body: 'secret', redirect: 'follow' })).status).toBe(status);
    expect(paths).toEqual(['/']);
  });

  test.each([
    'http://auth.example/token',
    'http://127.0.0.1.example/token',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[::2]/',
    'ftp://localhost/',
    'file:///etc/passwd',
    'https://ann:pw@auth.example/',
    'https://ann@auth.example/',
    'nonsense',
  ])('%s is rejected without a request', async (url) => {
    const error = await failure(url);
    expect(error).toMatchObject({ code: 'option_invalid', remedy: 'fix_code' });
    expect(error.message).not.toContain('pw');
  });

  test.each(['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])('%s is a loopback host', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
    expect(isLoopbackHost(`${host}.example`)).toBe(false);
  });

  test.each(['', 'example', '128.0.0.1', '0.0.0.0', '[::2]', 'xlocalhost'])('%j is not a loopback host', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });

  test('a body at the limit is read, and a larger one is not', async () => {
    let sent = 0;
    const url = await serve((request, response) => {
      const size = Number(request.url?.slice(1));
      const chunk = Buffer.alloc(1000);
      response.on('error', () => {});
      const more = () => {
        while (sent < size && !response.destroyed) {
          sent += 1000;
          if (!response.write(chunk)) return response.once('drain', more);
        }
        return response.end();
      };
      more();
    });
    expect(await textOf(await createFetch()(`${url}/500000`))).toHaveLength(500_000);
    sent = 0;
    expect(await failure(`${url}/500000000`)).toMatchObject({
      code: 'response_malformed',
      remedy: 'investigate',
    });
    expect(sent).toBeLessThan(50_000_000);
  });

  test.each(['gzip', 'identity, gzip'])(
    'a body with the encoding %s is rejected without reading it',
    async (encoding) => {
      const url = await serve((_, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(gzipSync('x'.repeat(1e7))),
      );
      expect((await failure(url)).code).toBe('response_malformed');
    },
  );

  test('the time limit covers the wait for the headers', async () => {
    const url = await serve(() => {});
    expect(await failure(url, { timeout: 40 })).toMatchObject({
      code: 'service_unreachable',
      retryable: true,
      status: 503,
    });
  });

  test('the time limit covers a slow body', async () => {
    const url = await serve((_, response) => {
      const drip = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(drip));
    });
    expect((await failure(url, { timeout: 60 })).code).toBe('service_unreachable');
  });

  test('the time limit covers the TLS handshake', async () => {
    const port = await listen(net.createServer((socket) => socket.on('error', () => {})));
    expect((await failure(`https://127.0.0.1:${port}/`, { timeout: 40 })).code).toBe('service_unreachable');
  });

  test('the time limit is 10 seconds by default', async () => {
    const url = await serve(() => {});
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const response = createFetch()(url).catch((error: { code: string }) => error.code);
    const expiry = timers.mock.calls.find(([, ms]) => ms === 10_000)?.[0];
    expiry?.();
    expect(await response).toBe('service_unreachable');
  });

  test('the time limit includes the repetition of a request', async () => {
    let requests = 0;
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const limits = () => timers.mock.calls.filter(([, ms = 0]) => ms > 9_000);
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        else if (requests === 2) {
          now = 300;
          socket.resetAndDestroy();
        } else limits().at(-1)?.[0]();
      });
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    const fetch = createFetch();
    await fetch(url);
    await expect(fetch(url)).rejects.toMatchObject({ code: 'service_unreachable' });
    expect(limits().map(([, ms]) => ms)).toEqual([10_000, 10_000, 9_700]);
    expect(requests).toBe(3);
  });

  test('close() ends idle connections and those of pending requests', async () => {
    const url = await serve((request, response) => void (request.url === '/idle' && response.end()));
    const fetch = createFetch();
    const pending = fetch(`${url}/pending`).catch((error: { code: string }) => error.code);
    await textOf(await fetch(`${url}/idle`));
    const closed = sockets.map((socket) => once(socket, 'close'));
    fetch.close();
    fetch.close();
    expect(await pending).toBe('service_unreachable');
    expect(await Promise.all(closed)).toHaveLength(2);
    expect((await fetch(`${url}/idle`)).status).toBe(200);
  });

  test('an exchange that ends in time does not time out later', async () => {
    const url = await serve((_, response) => response.end('in time'));
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const stopped = jest.spyOn(globalThis, 'clearTimeout');
    expect(await textOf(await createFetch()(url))).toBe('in time');
    const limit = timers.mock.calls.findIndex(([, ms]) => ms === 10_000);
    expect(stopped.mock.calls.map(([timer]) => timer)).toContain(timers.mock.results[limit]?.value);
  });

  test('a refused connection, an unknown host and a closed connection are retryable errors without secrets', async () => {
    const truncated = await serveBytes('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nplanted');
    const dropped = await serveBytes();
    const refused = `http://127.0.0.1:${await freePort()}`;
    // A system may send the look-up of an unknown name to a server that does not respond.
    const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((_host: string, _options: object, done: (error: Error) => void) =>
        process.nextTick(done, notFound)) as never);
    for (const url of [refused, 'https://no-such-host.invalid', truncated, dropped]) {
      const error = await failure(
        `${url}/planted-path?code=planted`,
        {},
        { method: 'POST', body: 'secret=planted', headers: { authorization: 'planted' } },
      );
      expect(error).toMatchObject({ code: 'service_unreachable', retryable: true });
      expect([inspect(error, { depth: 9 }), JSON.stringify(error), error.stack].join()).not.toContain('planted');
    }
  });

  test.each<[string, string]>([
    ['text that is not HTTP', 'hello there\r\n\r\n'],
    ['the status 999', 'HTTP/1.1 999 Huh\r\nContent-Length: 0\r\n\r\n'],
    ['a header with NUL', 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['20 kB of headers', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\nContent-Length: 0\r\n\r\n`],
  ])('%s is rejected', async (_, bytes) => {
    expect((await failure(await serveBytes(bytes))).code).toBe('response_malformed');
  });

  test('an aborted exchange rejects with the reason of its signal, before and during it', async () => {
    const url = await serve(() => {});
    const reason = new Error('aborted by the caller');
    await expect(createFetch()(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const exchange = createFetch()(url, { signal: controller.signal });
    setImmediate(() => controller.abort(reason));
    await expect(exchange).rejects.toBe(reason);
  });

  describe('over TLS', () => {
    const { authority: ca, key } = testCertificates;
    async function serveTLS(cert: string): Promise<string> {
      const server = https.createServer({ key, cert }, (_, response) => response.end('hello'));
      return `https://localhost:${await listen(server, 'localhost')}`;
    }

    test('an unknown authority is rejected, unless the option ca has it', async () => {
      const url = await serveTLS(testCertificates.good);
      expect(await failure(url)).toMatchObject({ code: 'certificate_refused', retryable: false });
      expect(await textOf(await createFetch({ ca })(url))).toBe('hello');
    });

    test.each(['wrongHost', 'expired'] as const)('the certificate %s is rejected', async (name) => {
      expect((await failure(await serveTLS(testCertificates[name]), { ca })).code).toBe('certificate_refused');
    });
  });
});
