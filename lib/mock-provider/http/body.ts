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

/** Reads the body of a request and stores at most {@link MAX_BYTES}. Throws if a body parser of Express has read it. */
export function readBody(req: IncomingMessage): Promise<Body> | Body {
  const { method, url, headers } = req;
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding === undefined && (length === undefined || length === '0')) return '';
  if (req.readableDidRead) {
    throw new Error(
      `The body of ${method} ${url?.split('?', 1)[0]} was read before provider.app. Mount provider.app before every body parser.`,
    );
  }
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
