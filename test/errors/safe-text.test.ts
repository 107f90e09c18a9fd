import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { summarizeError } from '../../lib/errors/errors.js';
import { quoteText, safeText } from '../../lib/errors/safe-text.js';

const SECRET = "s3cret-with+odd%characters:=and more'";
const form = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** The encodings of a credential in an HTTP message, a URL, a log line or JSON. */
const ENCODINGS: [string, (secret: string) => string][] = [
  ['as it is', (secret) => secret],
  ['percent-encoded', encodeURIComponent],
  [
    'percent-encoded in lower case',
    (secret) => encodeURIComponent(secret).replace(/%../g, (octet) => octet.toLowerCase()),
  ],
  ['percent-encoded twice', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['as a form parameter', form],
  ['in base64', base64],
  ['in base64url', (secret) => Buffer.from(secret).toString('base64url')],
  ['in base64 after other text', (secret) => `x=${base64(`id:${secret}`)}`],
  ['as an Authorization header', (secret) => `Basic ${base64(`${form('client one')}:${form(secret)}`)}`],
  ['as JSON', (secret) => JSON.stringify({ secret })],
];

describe('safeText()', () => {
  test.each(ENCODINGS)('is undefined for text that repeats a secret %s', (_, encode) => {
    for (const secret of [SECRET, 'correct horse battery', 'quote"and\\slash']) {
      expect(safeText(`Received ${encode(secret)}.`, [secret])).toBeUndefined();
    }
  });

  test('masks what looks like a credential, also of another request', () => {
    const token = 'planted-refresh-8'.repeat(2);
    expect(safeText(`Not Bearer planted-access-9, nor ${token}.`)).toBe('Not Bearer [masked], nor [masked].');
    expect(safeText('connect to postgres://bob:s3cr3t@db.internal/users')).toBe(
      'connect to postgres://[masked]@db.internal/users',
    );
  });

  test('is one line of at most 300 characters, without control characters', () => {
    expect(safeText(`one\r\ntwo\u001b[31m\u202e${'x'.repeat(20_000)}`)).toMatch(/^one two \[31m x{1,290}$/);
    expect(safeText(' \n ')).toBeUndefined();
  });
});

describe('the summary of an exception', () => {
  const text = `Received ${form(SECRET)}.`;
  class WithRequest extends Error {
    request = text;
  }

  test.each<[string, unknown]>([
    ['message', new Error(text)],
    ['name', Object.assign(new Error('failed'), { name: text })],
    ['code', Object.assign(new Error('failed'), { code: text })],
    ['properties', Object.assign(new Error('failed'), { config: { headers: { authorization: text } } })],
    ['hidden properties', Object.defineProperty(new Error('failed'), 'rawPacket', { value: text })],
    ['symbols', Object.assign(new Error('failed'), { [Symbol('request')]: text })],
    ['stack', Object.assign(new Error('failed'), { stack: text })],
    ['cause', new TypeError('failed', { cause: new Error(text, { cause: { request: text } }) })],
    ['errors', new AggregateError([new Error(text), { request: text }], text)],
    ['class', new WithRequest('failed')],
    ['text', text],
  ])('has no secret of its %s', (_, exception) => {
    const summary = summarizeError(exception, [SECRET]);
    expect(inspect(summary, { depth: 9, showHidden: true, getters: true })).not.toContain(text.slice(9, 20));
    expect(summary.message).toMatch(/^(?:failed|no message)$/);
  });
});

test.each([
  ['https://login.example/9122040d-6c67/v2.0', '"https://login.example/9122040d-6c67/v2.0"'],
  ['a"\\\n\u0000\u0085\u202e\u0430', '"a\\"\\\\\\n\\u0000\\u0085\\u202e\\u0430"'],
  ['x'.repeat(90_000), `"${'x'.repeat(200)}..."`],
])('quoteText() is JSON of printable ASCII characters, cut after 200 of them', (text, quoted) => {
  expect(quoteText(text)).toBe(quoted);
});
