import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Waits until a program has printed its address: it may print other lines before. */
export async function printedAddress(stdout: Readable): Promise<void> {
  for await (const line of createInterface({ input: stdout })) {
    if (!line.includes('http://')) continue;
    stdout.resume();
    return;
  }
  throw new Error('The program has ended without an address.');
}
