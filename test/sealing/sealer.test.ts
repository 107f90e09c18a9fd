import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { Sealer, Secret } from '../../lib/sealing/sealer.js';

const OLD = new Secret('o'.repeat(32));
const NEW = new Secret('n'.repeat(32));
const PLAIN = '{"name":"R\u00e9n\u00e9e \u{1F600}","n":1}';

describe('a sealer', () => {
  const sealer = new Sealer([NEW], 'tokens');

  test('opens what it sealed, with any characters', () => {
    for (const plain of ['', PLAIN, 'x'.repeat(100_000)]) {
      expect(sealer.open(sealer.seal(plain, 'a'), 'a')).toBe(plain);
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
    expect(new Sealer([NEW], 'transaction').open(sealer.seal(PLAIN, 'a'), 'a')).toBeUndefined();
  });

  test('derives the same values when it opens as before it seals, others for each label, data, purpose and secret', () => {
    const derive = sealer.deriver('a');
    const opened = new Sealer([OLD, NEW], 'tokens').openToDerive(sealer.seal(PLAIN, 'a'), 'a');
    expect([opened?.plain, opened?.derive('nonce')]).toEqual([PLAIN, derive('nonce')]);
    const others = [
      sealer.deriver('b'),
      new Sealer([NEW], 'other').deriver('a'),
      new Sealer([OLD], 'tokens').deriver('a'),
    ];
    const long = sealer.deriver('a'.repeat(5000));
    const values = [derive('nonce'), derive('verifier'), ...[...others, long].map((other) => other('nonce'))];
    expect(new Set(values).size).toBe(6);
    for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
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
  const [old, newer] = [new Sealer([OLD], 'tokens'), new Sealer([NEW], 'tokens')];

  test('seals with the first and opens with each, whatever their order', () => {
    const rotated = new Sealer([NEW, OLD], 'tokens');
    const appended = new Sealer([OLD, NEW], 'tokens');
    for (const sealed of [old.seal(PLAIN, 'a'), newer.seal(PLAIN, 'a')]) {
      expect([rotated, appended].map((sealer) => sealer.open(sealed, 'a'))).toEqual([PLAIN, PLAIN]);
    }
    expect(newer.open(rotated.seal(PLAIN, 'a'), 'a')).toBe(PLAIN);
    expect(old.open(appended.seal(PLAIN, 'a'), 'a')).toBe(PLAIN);
    expect(old.open(rotated.seal(PLAIN, 'a'), 'a')).toBeUndefined();
  });

  test('does not print its secrets', () => {
    const sealer = new Sealer([NEW, OLD], 'tokens');
    const printed = [inspect(sealer, { depth: 9, showHidden: true }), JSON.stringify(sealer), String(sealer)].join();
    for (const secret of [NEW, OLD]) expect(printed).not.toContain(secret.reveal());
  });
});

describe('text of an unknown secret', () => {
  const reported: string[] = [];
  const old = new Sealer([OLD], 'tokens');
  const newer = new Sealer([NEW], 'tokens', () => reported.push('unknown'));
  const bytesOf = (sealed: string) => Buffer.from(sealed, 'base64url');
  const withFirstByte = (sealed: string, version: number) => {
    const bytes = bytesOf(sealed);
    bytes.writeUInt8(version, 0);
    return bytes.toString('base64url');
  };
  const isUnknown = (sealed: string) => {
    reported.length = 0;
    expect(newer.open(sealed, 'a')).toBeUndefined();
    expect(reported).toEqual(newer.isOfUnknownSecret(sealed) ? ['unknown'] : []);
    return newer.isOfUnknownSecret(sealed);
  };

  test('is recognized by its key id, and so is the format of the next version', () => {
    expect(isUnknown(old.seal(PLAIN, 'a'))).toBe(true);
    expect(isUnknown(withFirstByte(newer.seal(PLAIN, 'a'), 3))).toBe(true);
  });

  test('is not text that was altered, or sealed for another purpose or with other associated data', () => {
    const bytes = bytesOf(newer.seal(PLAIN, 'a'));
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    expect(isUnknown(bytes.toString('base64url'))).toBe(false);
    expect(isUnknown(newer.seal(PLAIN, 'b'))).toBe(false);
    for (const malformed of ['', 'junk', withFirstByte(newer.seal(PLAIN, 'a'), 1), `${old.seal(PLAIN, 'a')}=`]) {
      expect(isUnknown(malformed)).toBe(false);
    }
    expect(newer.isOfUnknownSecret(undefined as never)).toBe(false);
  });

  test('does not open with the key id of a known secret', () => {
    const [forged, known] = [bytesOf(old.seal(PLAIN, 'a')), bytesOf(newer.seal(PLAIN, 'a'))];
    known.copy(forged, 1, 1, 5);
    expect(isUnknown(forged.toString('base64url'))).toBe(false);
  });

  test('has a key id that differs between purposes, and is no part of the secret or of its hash', () => {
    const id = bytesOf(old.seal(PLAIN, 'a')).subarray(1, 5);
    expect(bytesOf(old.seal('x', 'b')).subarray(1, 5)).toEqual(id);
    expect(bytesOf(new Sealer([OLD], 'other').seal(PLAIN, 'a')).subarray(1, 5)).not.toEqual(id);
    const digest = createHash('sha256').update(OLD.reveal()).digest();
    expect([Buffer.from(OLD.reveal()).includes(id), digest.includes(id)]).toEqual([false, false]);
  });
});
