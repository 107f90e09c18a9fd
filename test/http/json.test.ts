import { describe, expect, test } from '@jest/globals';
import { readJSONDocument } from '../../lib/http/json.js';
import { expectUnblocked } from '../properties/property.js';

const JSON_TYPE = 'application/json';

/** Reads a body that arrives in parts, as that of a custom fetch. @returns the JSON text, or the code of the error */
async function read(body: Iterable<string | Buffer>, type: string | null = JSON_TYPE, maxSize?: number) {
  const parts = Array.from(body, (part) => Buffer.from(part as string));
  const response = {
    ...{ status: 200, redirected: false, headers: { get: () => type } },
    body: Object.assign(parts, { cancel: async () => undefined }),
  };
  return await readJSONDocument(response, { name: 'the document', ...(maxSize && { maxSize }) }).then(
    ({ json }) => JSON.stringify(json),
    ({ code }: { code: string }) => code,
  );
}

const DOCUMENT = '{"id":1,"name":"Ann"}';
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`)}}`;

describe('a document', () => {
  test.each<[string, string | null, string | Buffer]>([
    ['null', JSON_TYPE, 'null'],
    ['an array', JSON_TYPE, '[]'],
    ['a string', JSON_TYPE, '"text"'],
    ['nothing', JSON_TYPE, ''],
    ['truncated', JSON_TYPE, DOCUMENT.slice(0, -1)],
    ['two documents', JSON_TYPE, DOCUMENT + DOCUMENT],
    ['in UTF-8 with a byte order mark', JSON_TYPE, `\ufeff${DOCUMENT}`],
    ['not in UTF-8', JSON_TYPE, Buffer.from(DOCUMENT.replace('Ann', '\xe4'), 'latin1')],
    ['in the charset that its type names', 'application/json;charset=utf-16', Buffer.from(DOCUMENT, 'utf16le')],
    ['in UTF-7', 'application/json;charset=utf-7', DOCUMENT.replaceAll('"', '+ACI-')],
    ['of no type', null, DOCUMENT],
    ['of another type', 'text/html', DOCUMENT],
    ['of a type that only begins like JSON', 'application/jsonp', DOCUMENT],
    ['of the type of JSON as a parameter', 'text/html;application/json', DOCUMENT],
    ['of two types', 'application/json, text/html', DOCUMENT],
    ['of two types, the first with a parameter', 'application/json;charset=utf-8, text/html', DOCUMENT],
    ['of a type whose quoted parameter has no end', 'application/json;x="a, text/html', DOCUMENT],
    ['of a type whose quoted parameter has an escaped end', 'application/json;x="a\\", text/html', DOCUMENT],
    ['with a member twice', JSON_TYPE, DOCUMENT.replace('{', '{"id":2,')],
    ['with a member twice, once escaped', JSON_TYPE, DOCUMENT.replace('{', '{"\\u0069d":2,')],
    ['with a member twice in an inner object', JSON_TYPE, '{"a":[{"b":1,"b":2}]}'],
    ['with 33 levels', JSON_TYPE, `{"a":${nested(32)}}`],
    ['with 40,000 levels', JSON_TYPE, `{"a":${nested(40_000)}}`],
    ['with 10,001 values', JSON_TYPE, `{"a":[${'0,'.repeat(9_999)}0]}`],
    ['with 60,000 members', JSON_TYPE, members(60_000)],
  ])('that is %s is refused without blocking other requests', async (_, type, body) => {
    expect(await expectUnblocked(() => read([body], type, 1_000_000))).toBe('response_malformed');
  });

  // RFC 8259 section 11: the parameter has no meaning.
  test.each([
    'application/json',
    'Application/JSON;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json;charset=ISO-8859-1',
    'application/json ; charset=utf-16; x="a;b,c\\"d"',
    'application/json;',
  ])('of the type %s is read as UTF-8', async (type) => {
    expect(await read(['{"name":"\u00c4nn"}'], type)).toBe('{"name":"\u00c4nn"}');
  });

  test('of 32 levels and 10,000 values is read', async () => {
    expect(await read([`{"a":${nested(31)}}`])).toBe(`{"a":${nested(31)}}`);
    const longest = `{"a":[${'0,'.repeat(9_998)}0]}`;
    expect((await read([longest])) === longest).toBe(true);
  });

  test('of a long type does not block other requests', async () => {
    const type = `application/json;${' ;'.repeat(3_500)}${' '.repeat(7_000)},`;
    expect(await expectUnblocked(() => read([DOCUMENT], type))).toBe('response_malformed');
  });

  test('is read up to its limit, and a longer one is not read to its end', async () => {
    let sent = 0;
    function* endless() {
      for (; sent < 1_000; sent += 1) yield ' '.repeat(1_000);
    }
    expect(await read([DOCUMENT, ' '.repeat(100_000 - DOCUMENT.length)])).toBe(DOCUMENT);
    expect(await read([DOCUMENT, ' '.repeat(100_001 - DOCUMENT.length)])).toBe('response_malformed');
    const body = Object.assign(endless(), { cancel: async () => undefined });
    const response = { status: 200, redirected: false, headers: { get: () => JSON_TYPE }, body };
    await expect(readJSONDocument(response, { name: 'the document' })).rejects.toMatchObject({
      code: 'response_malformed',
    });
    expect(sent).toBe(100);
  });

  test('whose body ends early is a retryable error', async () => {
    const body = Object.assign(
      (async function* () {
        yield Buffer.from('{');
        throw new Error('planted');
      })(),
      { cancel: async () => undefined },
    );
    const response = { status: 200, redirected: false, headers: { get: () => JSON_TYPE }, body };
    const error = await readJSONDocument(response, { name: 'the document' }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'service_unreachable', retryable: true });
    expect(String(error.cause)).not.toContain('planted');
  });

  test('with the name of a prototype changes no object', async () => {
    await read(['{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}']);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});
