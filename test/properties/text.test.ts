import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ClinicianError, ProtocolError } from '../../lib/errors/errors.js';
import { safeText } from '../../lib/errors/safe-text.js';
import { parseObject } from '../../lib/http/json.js';
import { anyText } from './inputs.js';
import { testProperty } from './property.js';

describe('JSON', () => {
  const jsonText = fc.oneof(
    anyText,
    fc.json(),
    fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0a1 \n'), maxLength: 200 }),
  );

  testProperty(
    'is parsed as JSON.parse does, or not at all',
    jsonText,
    (text) => {
      const object = parseObject(text);
      if (object !== undefined) expect(object).toEqual(JSON.parse(text));
    },
    { runs: 200 },
  );

  testProperty(
    'with a member twice is not parsed',
    fc.tuple(fc.dictionary(anyText, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), fc.nat()),
    ([object, index]) => {
      const names = Object.keys(object);
      const name = JSON.stringify(names[index % names.length]);
      const text = JSON.stringify({ first: [object] });
      expect(parseObject(text)).toEqual(JSON.parse(text));
      expect(parseObject(text.replace(/\}\]\}$/, () => `,${name}:0}]}`))).toBeUndefined();
    },
    { runs: 100 },
  );
});

describe('text from elsewhere', () => {
  const secret = fc.string({ minLength: 8, maxLength: 60 }).filter((text) => text.trim().length >= 8);
  const encodings: ((text: string) => string)[] = [
    (text) => text,
    encodeURIComponent,
    (text) => new URLSearchParams([['', text]]).toString().slice(1),
    (text) => Buffer.from(text).toString('base64'),
    (text) => Buffer.from(text).toString('base64url'),
    (text) => JSON.stringify(text).slice(1, -1),
    (text) => Buffer.from(`client:${encodeURIComponent(text)}`).toString('base64'),
  ];

  testProperty(
    'that repeats a secret in any encoding is left out',
    fc.tuple(secret, fc.constantFrom(...encodings), fc.string(), fc.string()),
    ([text, encode, before, after]) => {
      expect(safeText(`${before} ${encode(text)} ${after}`, [text])).toBeUndefined();
    },
    { runs: 200 },
  );

  test('is masked where it is the user name or the password in a URL, also where it is cut', () => {
    const url = 'postgres://bob:pa@ss@db.internal/users?mail=a@b.example';
    expect(safeText(`connect failed: ${url}`)).toBe(
      'connect failed: postgres://[masked]@db.internal/users?mail=a@b.example',
    );
    expect(safeText(`${'-'.repeat(280)} ${url}`)).not.toContain('bob');
    expect(safeText('https://clinic.example:8080/@bob')).toBe('https://clinic.example:8080/@bob');
  });

  testProperty(
    'any thrown value as the cause of an error is summarized',
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withTypedArray: true,
    }),
    (cause) => {
      const error = new ProtocolError('response_malformed', 'why', cause);
      expect(error).toBeInstanceOf(ClinicianError);
      if (cause !== undefined) expect(error.cause).toBeInstanceOf(Error);
    },
    { runs: 150 },
  );
});
