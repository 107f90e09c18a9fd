import { parseObject } from '../json.js';

/** A signed JWT taken apart, nothing of it believed yet (RFC 7519, RFC 7515 section 7.1). */
export interface SignedJWT {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** What the signature is over. */
  signedText: string;
  signature: Buffer;
}

const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const LONGEST = 100_000;

/** @returns undefined when the text is no compact JWS with a JSON object in its first two parts. */
export function decodeJWT(text: string): SignedJWT | undefined {
  if (text.length > LONGEST || !COMPACT.test(text)) return undefined;
  const [headerPart, claimsPart, signaturePart] = text.split('.') as [string, string, string];
  const [header, claims] = [decodeObject(headerPart), decodeObject(claimsPart)];
  if (header === undefined || claims === undefined) return undefined;
  const signature = Buffer.from(signaturePart, 'base64url');
  return { header, claims, signedText: `${headerPart}.${claimsPart}`, signature };
}

function decodeObject(part: string): Record<string, unknown> | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return parseObject(decoder.decode(Buffer.from(part, 'base64url')));
  } catch {
    return undefined;
  }
}
