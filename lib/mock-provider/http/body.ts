import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Body } from './request.js';

/** Nothing that the service takes is longer. */
const MOST_BYTES = 100_000;
/** So much more is read and thrown away: who is cut off while sending may never see why. */
const MOST_BYTES_SEEN = 10_000_000;

/** @returns the text of a body that was read whole. */
export function bodyText(bytes: Buffer): Body {
  if (bytes.length > MOST_BYTES) return { fault: 'too large' };
  return isUtf8(bytes) ? bytes.toString() : { fault: 'not text' };
}

/**
 * Reads a request's body, and keeps no more of it than a body may have. Where a body parser of Express read it before, it is
 * put together again from `req.body`; throws a sentence where that does not tell what was sent.
 */
export function readBody(req: IncomingMessage & { body?: unknown }): Promise<Body> | Body {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return '';
  if (req.readableDidRead) return sentBody(req);
  if (Number(length) > MOST_BYTES_SEEN) return { fault: 'too large' };
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_BYTES) chunks.push(chunk);
      if (size > MOST_BYTES_SEEN) resolve({ fault: 'too large' });
    });
    req.once('end', () => resolve(size > MOST_BYTES ? { fault: 'too large' } : bodyText(Buffer.concat(chunks))));
    req.once('error', reject);
  });
}

/** @returns the body as it was before a parser read it, or one that says the same. */
function sentBody({ body, headers, method, url }: IncomingMessage & { body?: unknown }): Body {
  const type = headers['content-type'] ?? '';
  if (typeof body === 'string') return bodyText(Buffer.from(body));
  if (Buffer.isBuffer(body)) return bodyText(body);
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type) && isFlat(body)) {
    return bodyText(Buffer.from(new URLSearchParams(body).toString()));
  }
  if (/^application\/json\s*(;|$)/i.test(type) && body !== undefined)
    return bodyText(Buffer.from(JSON.stringify(body)));
  throw new Error(
    `The body of ${method} ${url?.split('?', 1)[0]} was read before it came to provider.app, and req.body does not tell what was sent: mount provider.app before every body parser.`,
  );
}

function isFlat(body: unknown): body is Record<string, string> {
  return typeof body === 'object' && body !== null && Object.values(body).every((value) => typeof value === 'string');
}
