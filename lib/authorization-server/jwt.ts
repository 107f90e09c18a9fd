import { parseUTF8Object } from '../json.js';

/** A signed JWT, decoded and not verified (RFC 7519, RFC 7515 section 7.1). */
export interface SignedJWT {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** The JWS Signing Input (RFC 7515 section 5.1). */
  signedText: string;
  signature: Buffer;
}

const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const MAX_LENGTH = 100_000;

/** @returns undefined when the text is not a compact JWS with a JSON object in each of its first two parts. */
export function decodeJWT(text: string): SignedJWT | undefined {
  if (text.length > MAX_LENGTH || !COMPACT.test(text)) return undefined;
  const [headerPart, claimsPart, signaturePart] = text.split('.') as [string, string, string];
  const [header, claims] = [headerPart, claimsPart].map((part) => parseUTF8Object(Buffer.from(part, 'base64url')));
  if (header === undefined || claims === undefined) return undefined;
  const signature = Buffer.from(signaturePart, 'base64url');
  return { header, claims, signedText: `${headerPart}.${claimsPart}`, signature };
}
