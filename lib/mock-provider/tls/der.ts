// The part of DER (ITU-T X.690) that a certificate needs. Each function returns one element, including its tag and length.

/** Years from this one on are encoded as GeneralizedTime (RFC 5280 section 4.1.2.5). */
const FIRST_GENERALIZED_YEAR = 2050;

function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(size);
  const digits = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
}

export const sequence = (...elements: readonly Uint8Array[]): Buffer => element(0x30, ...elements);
export const set = (...elements: readonly Uint8Array[]): Buffer => element(0x31, ...elements);
export const octetString = (bytes: Uint8Array): Buffer => element(0x04, bytes);
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'));
export const TRUE: Buffer = element(0x01, Buffer.from([0xff]));

/** @param bytes a non-negative number, the most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  const sign = (digits[0] as number) < 0x80 ? [] : [Buffer.from([0])];
  return element(0x02, ...sign, digits);
}

/** @param unused the number of unused bits at the end of the last byte. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), bytes);
}

/** @param dotted an object identifier in dotted notation: `2.5.29.17`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(arc: number): number[] {
  const bytes = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) + 128);
  return bytes;
}

/** @param epochMs a time in milliseconds since the Unix epoch. */
export function time(epochMs: number): Buffer {
  const date = new Date(epochMs);
  const digits = `${date.toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < FIRST_GENERALIZED_YEAR
    ? element(0x17, Buffer.from(digits.slice(2), 'ascii'))
    : element(0x18, Buffer.from(digits, 'ascii'));
}

/** Wraps elements in a context-specific tag: `[3] EXPLICIT`. */
export const explicit = (tag: number, ...elements: readonly Uint8Array[]): Buffer => element(0xa0 | tag, ...elements);

/** Replaces the tag of an element by a context-specific one: `[2] IMPLICIT`. */
export const implicit = (tag: number, bytes: Uint8Array): Buffer => element(0x80 | tag, bytes);
