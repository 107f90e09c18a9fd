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

/** Reads a request's body, and keeps no more of it than a body may have. */
export function readBody(req: IncomingMessage): Promise<Body> | Body {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return '';
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
