// As much of DER (ITU-T X.690) as a certificate needs: each function returns one element, its tag and length included.

const UTC_TIME_ENDS = 2050;

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
export const yes: Buffer = element(0x01, Buffer.from([0xff]));

/** @param bytes a number that is not negative, the greatest byte first. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  const sign = (digits[0] as number) < 0x80 ? [] : [Buffer.from([0])];
  return element(0x02, ...sign, digits);
}

/** @param unused how many bits at the end of the last byte are none. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), bytes);
}

/** @param dotted an object identifier as people write it: `2.5.29.17`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(arc: number): number[] {
  const bytes = [arc % 128];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) bytes.unshift((left % 128) + 128);
  return bytes;
}

/** @param milliseconds of the epoch; two digits of the year until 2049, four after that (RFC 5280 section 4.1.2.5). */
export function time(milliseconds: number): Buffer {
  const date = new Date(milliseconds);
  const digits = `${date.toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < UTC_TIME_ENDS
    ? element(0x17, Buffer.from(digits.slice(2), 'ascii'))
    : element(0x18, Buffer.from(digits, 'ascii'));
}

/** An element with a tag of the surrounding type's own, around other elements: `[3] EXPLICIT`. */
export const explicit = (tag: number, ...elements: readonly Uint8Array[]): Buffer => element(0xa0 | tag, ...elements);

/** An element whose own tag is replaced: `[2] IMPLICIT`. */
export const implicit = (tag: number, bytes: Uint8Array): Buffer => element(0x80 | tag, bytes);
