import { describe, expect, test } from '@jest/globals';
import { list, object, textOrNull } from '../../../lib/mock-provider/options/schema.js';
import { flag, oneOf, text } from '../../../lib/schema.js';

interface Book {
  title: string;
  subtitle?: string | null;
  kind?: 'novel' | 'poetry';
  isLent?: boolean;
}

const optional = { subtitle: textOrNull, kind: oneOf('novel', 'poetry'), isLent: flag };
describe('object()', () => {
  test('does not compile without a member, or with another one', () => {
    // @ts-expect-error: isLent is missing
    object<Book>({ title: text }, { subtitle: textOrNull, kind: oneOf('novel', 'poetry') });
    // @ts-expect-error: author is not a member
    object<Book>({ title: text }, { ...optional, author: text });
    // @ts-expect-error: title is required
    object<Book>({}, { ...optional, title: text });
    // @ts-expect-error: subtitle is optional
    object<Book>({ title: text, subtitle: textOrNull }, { kind: oneOf('novel', 'poetry'), isLent: flag });
    expect.assertions(0);
  });

  test('does not compile with a type that is another one, wider or narrower', () => {
    // @ts-expect-error: isLent is a boolean
    object<Book>({ title: text }, { ...optional, isLent: text });
    // @ts-expect-error: kind is one of two texts
    object<Book>({ title: text }, { ...optional, kind: text });
    // @ts-expect-error: subtitle can be null
    object<Book>({ title: text }, { ...optional, subtitle: text });
    // @ts-expect-error: the elements are texts
    object<{ titles: readonly string[] }>({ titles: list(flag) }, {});
    expect.assertions(0);
  });
});
