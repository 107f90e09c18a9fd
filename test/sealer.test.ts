import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createSealer } from '../lib/sealer.js';
import { Secret } from '../lib/secret.js';

const OLD = new Secret('o'.repeat(32));
const NEW = new Secret('n'.repeat(32));
const PLAIN = '{"name":"R\u00e9n\u00e9e \u{1F600}","n":1}';

describe('a sealer', () => {
  const sealer = createSealer([NEW], 'tokens');

  test('opens what it sealed, with any characters', () => {
    for (const plain of ['', PLAIN, 'x'.repeat(100_000)]) {
      expect(sealer.open(sealer.seal(plain, 'a'), 'a')).toEqual({ plain, renew: false });
    }
  });

  test('seals as base64url, differently each time, without the plain text', () => {
    const [one, two] = [sealer.seal(PLAIN, 'a'), sealer.seal(PLAIN, 'a')];
    expect(one).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(one).not.toBe(two);
    expect(Buffer.from(one, 'base64url').includes('name')).toBe(false);
  });

  test('does not open with other associated data', () => {
    const sealed = sealer.seal(PLAIN, 'alice');
    for (const other of ['bob', '', 'alice ', 'Alice']) expect(sealer.open(sealed, other)).toBeUndefined();
  });

  test('does not open what was sealed for another purpose, with the same secret', () => {
    expect(createSealer([NEW], 'transaction').open(sealer.seal(PLAIN, 'a'), 'a')).toBeUndefined();
  });

  test('does not open when any single bit is changed', () => {
    const bytes = Buffer.from(sealer.seal('{"verified":false}', 'a'), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(sealer.open(changed.toString('base64url'), 'a')).toBeUndefined();
    }
  });

  test('does not open a shortened or lengthened text, also with a short tag', () => {
    const bytes = Buffer.from(sealer.seal('hello', 'a'), 'base64url');
    for (let length = 0; length < bytes.length; length += 1) {
      expect(sealer.open(bytes.subarray(0, length).toString('base64url'), 'a')).toBeUndefined();
    }
    expect(sealer.open(Buffer.concat([bytes, Buffer.of(0)]).toString('base64url'), 'a')).toBeUndefined();
  });

  test('returns undefined for invalid input and never throws', () => {
    const junk = ['', 'a', '.', 'x'.repeat(100_000), '\0', '\ud800', '%%%', '__proto__', '{"plain":"x"}'];
    const notStrings = [undefined, null, 7, {}, [], ['a']] as unknown as string[];
    for (const sealed of [...junk, ...notStrings]) expect(sealer.open(sealed, 'a')).toBeUndefined();
  });

  test('accepts one encoding of a sealed text only, so that a replay is recognized', () => {
    const sealed = sealer.seal('some text', 'a');
    const otherEncodings = [
      `${sealed}=`,
      `${sealed} `,
      ` ${sealed}`,
      `${sealed}!`,
      `${sealed.slice(0, 9)}\n${sealed.slice(9)}`,
    ];
    for (const encoding of otherEncodings) expect(sealer.open(encoding, 'a')).toBeUndefined();
  });
});

describe('a sealer with several secrets', () => {
  test('seals with the first, opens with each, and requests renewal for text of an older one', () => {
    const before = createSealer([OLD], 'tokens').seal(PLAIN, 'a');
    const rotated = createSealer([NEW, OLD], 'tokens');
    expect(rotated.open(before, 'a')).toEqual({ plain: PLAIN, renew: true });

    const after = rotated.seal(PLAIN, 'a');
    expect(rotated.open(after, 'a')).toEqual({ plain: PLAIN, renew: false });
    expect(createSealer([OLD], 'tokens').open(after, 'a')).toBeUndefined();
    expect(createSealer([NEW], 'tokens').open(before, 'a')).toBeUndefined();
  });

  test('does not print its secrets', () => {
    const sealer = createSealer([NEW, OLD], 'tokens');
    const printed = [inspect(sealer, { depth: 9, showHidden: true }), JSON.stringify(sealer), String(sealer)].join();
    for (const secret of [NEW, OLD]) expect(printed).not.toContain(secret.reveal());
  });
});
