// Combines PNG images of one size into an animated one (APNG), which browsers and GitHub show.
import { crc32 } from 'node:zlib';

const SIGNATURE = 8;

/** @returns the chunks of a PNG: the type and the data of each. */
function chunksOf(png) {
  const chunks = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push([png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]);
    at += length + 12;
  }
  return chunks;
}

function chunk(type, ...parts) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...parts]);
  return Buffer.concat([numbers(body.length - 4), body, numbers(crc32(body))]);
}

/** @returns numbers of 32 bits. */
function numbers(...values) {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4);
  return buffer;
}

/** @returns the images as one, each shown for its milliseconds, again and again. */
export function animate(images, milliseconds) {
  let sequence = 0;
  const frames = images.flatMap((png, index) => {
    const chunks = chunksOf(png);
    const size = chunks[0][1].subarray(0, 8);
    // Place 0, 0; the delay as a fraction; the frame replaces the one before it.
    const delay = Buffer.from([milliseconds[index] >> 8, milliseconds[index] & 255, 1000 >> 8, 1000 & 255, 0, 0]);
    const control = chunk('fcTL', numbers(sequence++), size, numbers(0, 0), delay);
    const data = chunks.filter(([type]) => type === 'IDAT').map(([, part]) => part);
    if (index === 0) return [control, ...data.map((part) => chunk('IDAT', part))];
    return [control, ...data.map((part) => chunk('fdAT', numbers(sequence++), part))];
  });
  const [, header] = chunksOf(images[0])[0];
  const signature = images[0].subarray(0, SIGNATURE);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('acTL', numbers(images.length, 0)),
    ...frames,
    chunk('IEND'),
  ]);
}
