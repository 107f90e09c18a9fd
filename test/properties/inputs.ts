import fc from 'fast-check';

/** Values that break parsers more often than generated ones. */
const ODD_VALUES: unknown[] = [
  ...[null, '', '0', 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, true, false, [], {}, [[]], [null]],
  ...[
    '__proto__',
    'constructor',
    '\ufeff',
    '\0',
    'a\r\nb: c',
    '\u202e',
    '\ud800',
    '../..//',
    'https://e.example',
    'none',
  ],
  ...['x'.repeat(20_000), '['.repeat(5_000), '%00', '%', '<script>', { toString: 1 }, { toJSON: 1 }],
];

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: 'grapheme' }),
);

export const anyJSON: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...ODD_VALUES),
  fc.jsonValue({ maxDepth: 4, noUnicodeString: false }),
  anyText,
);

/** The characters that Node sends in a header. */
export const headerText: fc.Arbitrary<string> = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
});

type Members = Record<string, unknown>;
/** @returns the body of a response instead of these members. */
export type Alteration = (members: Members) => string | Buffer;

/** Alters a JSON object: some of its members, or its text. */
export function alterations(names: readonly string[]): fc.Arbitrary<Alteration> {
  const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: anyText });
  const set = fc.tuple(name, anyJSON).map(([key, value]) => (members: Members) => ({ ...members, [key]: value }));
  const remove = name.map((key) => (members: Members) => {
    const { [key]: _, ...rest } = members;
    return rest;
  });
  const changes = fc.array(fc.oneof({ weight: 3, arbitrary: set }, { weight: 1, arbitrary: remove }), { maxLength: 3 });
  const toText = changes.map((all) => (members: Members) => {
    const changed = all.reduce<Members>((current, change) => change(current), members);
    return JSON.stringify(changed);
  });
  const cut = fc.tuple(toText, fc.nat(), anyText).map(([text, at, inserted]) => (members: Members) => {
    const whole = text(members);
    const index = at % (whole.length + 1);
    return whole.slice(0, index) + inserted + whole.slice(index);
  });
  const repeated = fc.tuple(toText, name, anyJSON).map(([text, key, value]) => (members: Members) => {
    return text(members).replace(/^\{/, () => `{${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'},`);
  });
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => () => Buffer.from(array));
  const other = anyJSON.map((value) => () => JSON.stringify(value) ?? '');
  return fc.oneof({ weight: 6, arbitrary: toText }, cut, repeated, bytes, other);
}
