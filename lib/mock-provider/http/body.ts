import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Body } from './request.js';

/** No request of the service needs more. */
const MAX_BYTES = 100_000;
/** Up to here a body is read and discarded: a client whose connection is closed while it sends may not read the response. */
const MAX_BYTES_READ = 10_000_000;

/** @returns the text of a complete body. */
export function bodyText(bytes: Buffer): Body {
  if (bytes.length > MAX_BYTES) return { error: 'too_large' };
  return isUtf8(bytes) ? bytes.toString() : { error: 'not_text' };
}

/**
 * Reads the body of a request and stores at most {@link MAX_BYTES}. After a body parser of Express it is encoded again from
 * `req.body`; throws if that is ambiguous.
 */
export function readBody(req: IncomingMessage & { body?: unknown }): Promise<Body> | Body {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return '';
  if (req.readableDidRead) return encodedBody(req);
  if (Number(length) > MAX_BYTES_READ) return { error: 'too_large' };
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) chunks.push(chunk);
      if (size > MAX_BYTES_READ) resolve({ error: 'too_large' });
    });
    req.on('end', () => resolve(size > MAX_BYTES ? { error: 'too_large' } : bodyText(Buffer.concat(chunks))));
    req.on('error', reject);
  });
}

/** @returns the body before it was parsed, or an equivalent one. */
function encodedBody({ body, headers, method, url }: IncomingMessage & { body?: unknown }): Body {
  const type = headers['content-type'] ?? '';
  if (typeof body === 'string') return bodyText(Buffer.from(body));
  if (Buffer.isBuffer(body)) return bodyText(body);
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type) && isFlat(body)) {
    return bodyText(Buffer.from(new URLSearchParams(body).toString()));
  }
  if (/^application\/json\s*(;|$)/i.test(type) && body !== undefined)
    return bodyText(Buffer.from(JSON.stringify(body)));
  throw new Error(
    `The body of ${method} ${url?.split('?', 1)[0]} was read before provider.app, and req.body does not contain all of it. Mount provider.app before every body parser.`,
  );
}

function isFlat(body: unknown): body is Record<string, string> {
  return typeof body === 'object' && body !== null && Object.values(body).every((value) => typeof value === 'string');
}
