import { describe, expect, test } from '@jest/globals';
import { count, list, nonEmptyText, object, secret } from '../../../lib/mock-provider/options/schema.js';
import { type Path, validate, withDefaults } from '../../../lib/mock-provider/options/validate.js';
import { flag, oneOf, type Schema, text } from '../../../lib/schema.js';

interface Shelf {
  label: string;
  rows?: number;
  kind?: 'open' | 'closed';
  open?: boolean;
  key?: string;
  books?: readonly { title: string; pages?: number }[];
}

const shelf: Schema<Shelf> = object(
  { label: nonEmptyText },
  {
    rows: { ...count(1, 9), default: 3 },
    kind: oneOf('open', 'closed'),
    open: { ...flag, default: false },
    key: secret,
    books: list(object({ title: text }, { pages: count() })),
  },
);

function errorOf(value: unknown, path?: Path): Error {
  try {
    validate(shelf, value, 'A shelf', path);
  } catch (error) {
    if (error instanceof TypeError) return error;
    throw error;
  }
  throw new Error('the value was accepted');
}

describe('validate()', () => {
  test.each<[unknown, string]>([
    [5, 'A shelf must be an object, not 5.'],
    [null, 'A shelf must be an object, not null.'],
    [{}, 'A shelf needs the option "label", which must be a string that is not empty.'],
    [{ label: undefined }, 'A shelf needs the option "label"'],
    [{ label: '' }, 'label must be a string that is not empty, not "".'],
    [{ label: 'a', row: 3 }, 'A shelf has no option "row". Did you mean rows?'],
    [
      { label: 'a', colour: 3 },
      'A shelf has no option "colour". The options are: label, rows, kind, open, key, books.',
    ],
    [{ label: 'a', rows: 10 }, 'rows must be a whole number from 1 to 9, not 10.'],
    [{ label: 'a', rows: 1.5 }, 'rows must be a whole number from 1 to 9, not 1.5.'],
    [{ label: 'a', rows: Number.NaN }, 'rows must be a whole number from 1 to 9, not NaN.'],
    [{ label: 'a', kind: 'opne' }, `kind must be 'open' or 'closed', not "opne". Did you mean open?`],
    [{ label: 'a', open: 'yes' }, 'open must be true or false, not a string.'],
    [{ label: 'a', books: {} }, 'books must be an array, not an object.'],
    [{ label: 'a', books: [{ title: 'b' }, { title: [] }] }, 'books[1].title must be a string, not an array.'],
    [{ label: 'a', books: [{ title: 'b', page: 1 }] }, 'books[0] has no option "page". Did you mean pages?'],
  ])('%j is refused with a message', (value, message) => {
    expect(errorOf(value).message).toContain(message);
  });

  test('a secret of any type is not shown', () => {
    expect(errorOf({ label: 'a', key: 424242 }).message).toBe('key must be a string, not a number.');
  });

  test('a long value is truncated', () => {
    expect(errorOf({ label: 'a', kind: 'x'.repeat(5000) }).message.length).toBeLessThan(200);
  });

  test('the path of the value in a larger object begins the message', () => {
    const { message } = errorOf({ label: 5 }, ['shelves', 2]);
    expect(message).toBe('shelves[2].label must be a string that is not empty, not 5.');
  });

  test('an unknown name is reported at its object', () => {
    expect(errorOf(JSON.parse('{ "label": "a", "__proto__": 1 }')).message).toContain('"__proto__"');
  });

  test('a member that is undefined is treated as absent', () => {
    expect(() => validate(shelf, { label: 'a', rows: undefined, colour: undefined }, 'A shelf')).not.toThrow();
  });
});

test('withDefaults() sets absent and undefined members', () => {
  expect(withDefaults(shelf, { label: 'a', rows: undefined } as never)).toEqual({ label: 'a', rows: 3, open: false });
});
