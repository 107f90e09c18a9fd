import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Colleague } from '../../lib/resource-api/colleagues.js';
import { createConditionalCache } from '../../lib/resource-api/conditional-cache.js';
import { type Answer, type APIUnderTest, clock, json, startAPI, status, text, tokens } from './api-under-test.js';

let service: APIUnderTest;
beforeEach(async () => {
  service = await startAPI();
});
afterEach(() => service.stop());

const malformed = { code: 'colleagues_malformed', status: 502, remedy: 'investigate' };

/** A list as the service pages it: `decision 91`, a hundred a page at most. */
function paged(total: number, more: object = {}): Answer {
  return (req, res) => {
    const query = new URL(req.url ?? '', 'http://x').searchParams;
    const page = Number(query.get('page') ?? 1);
    const perPage = Math.min(100, Number(query.get('per_page') ?? 30));
    const from = (page - 1) * perPage;
    const items = Array.from({ length: Math.max(0, Math.min(perPage, total - from)) }, (_, n) => ({
      id: from + n + 1,
    }));
    const counts = { total_entries: total, current_page: page, total_pages: Math.ceil(total / perPage) || 1 };
    json({ ...counts, per_page: perPage, items, ...more })(req, res);
  };
}

async function all(colleagues: AsyncIterable<Colleague>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of colleagues) ids.push(id);
  return ids;
}

const asked = () => service.requests.map((request) => request.url?.replace('/api/v1/colleagues', ''));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));

describe('a page of colleagues', () => {
  const ITEM = {
    id: 40123456789,
    npi: 1234567893,
    firstname: 'Ren\u00e9e',
    middlename: 'Q',
    lastname: "O'Hara",
    credentials: 'MD',
    specialty: 'Cardiology',
    zip: '01234',
    profile_photo: 'https://photos.example/1.jpg',
  };

  test('is read in our words, typed, with the counts of the service', async () => {
    service.answers(json({ total_entries: 41, current_page: 2, total_pages: 5, per_page: 10, items: [ITEM] }));
    expect(await service.api().colleagues().page(2, { perPage: 10 })).toStrictEqual({
      totalEntries: 41,
      currentPage: 2,
      totalPages: 5,
      perPage: 10,
      items: [
        {
          id: '40123456789',
          npi: 1234567893,
          firstName: 'Ren\u00e9e',
          middleName: 'Q',
          lastName: "O'Hara",
          credentials: 'MD',
          specialty: 'Cardiology',
          zip: '01234',
          profilePhoto: 'https://photos.example/1.jpg',
        },
      ],
    });
    expect(asked()).toEqual(['?page=2&per_page=10']);
    expect(service.requests[0]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
  });

  test('without numbers is the first, as long as the service likes', async () => {
    service.answers(paged(45));
    const page = await service.api().colleagues().page();
    expect(page).toMatchObject({ currentPage: 1, perPage: 30, totalPages: 2 });
    expect(page.items).toHaveLength(30);
    expect(asked()).toEqual(['?page=1']);
  });

  test('has the same names in both spellings; the field list wins where both come (attack 214)', async () => {
    const listed = { id: 1, first_name: 'A', middle_name: 'B', last_name: 'C' };
    const sample = { id: 2, firstname: 'A', middlename: 'B', lastname: 'C' };
    service.answers(json({ items: [listed, sample, { ...listed, firstname: 'sample' }] }));
    const { items } = await service.api().colleagues().page();
    for (const item of items) expect(item).toMatchObject({ firstName: 'A', middleName: 'B', lastName: 'C' });
  });

  test('says of a page past the end that it is empty (attack 225)', async () => {
    service.answers(paged(3));
    expect(await service.api().colleagues().page(7)).toMatchObject({ currentPage: 7, totalPages: 1, items: [] });
  });

  test.each<[string, unknown]>([
    ['absent', {}],
    ['no numbers', { total_entries: '3', total_pages: null, per_page: [30], current_page: '1' }],
    ['negative', { total_entries: -3, total_pages: -1, per_page: -30 }],
    ['fractions', { total_entries: 3.5, total_pages: 1.5, per_page: 0.1 }],
    ['beyond all numbers', JSON.parse('{"total_entries":1e400,"total_pages":90071992547409931,"per_page":1e308}')],
  ])('whose counts are %s has none, and its items all the same', async (_, counts) => {
    service.answers(json({ ...(counts as object), items: [{ id: 1 }] }));
    expect(await service.api().colleagues().page()).toStrictEqual({ currentPage: 1, items: [{ id: '1' }] });
  });

  test('leaves out who has no id, and members of a wrong type', async () => {
    const odd = [null, 'x', 7, [], [{ id: 1 }], {}, { id: '1' }, { id: 0 }, { id: -1 }, { id: 1.5 }, { id: 2 ** 60 }];
    const wrong = { id: 5, firstname: ['A'], npi: '1', zip: 94110, profile_photo: 'javascript:alert(1)' };
    service.answers(json({ items: [...odd, wrong] }));
    expect((await service.api().colleagues().page()).items).toStrictEqual([{ id: '5' }]);
  });

  test('pollutes nothing and inherits nothing (attack 212)', async () => {
    const planted = '{"__proto__":{"items":[]},"items":[{"id":1,"__proto__":{"isAdmin":true},"isAdmin":true}]}';
    service.answers(text(planted));
    const { items } = await service.api().colleagues().page();
    expect(items).toStrictEqual([{ id: '1' }]);
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  test.each<[string, Answer]>([
    ['null', json(null)],
    ['an array', json([{ id: 1 }])],
    ['no items', json({ total_entries: 0 })],
    ['items that are an object', json({ items: { 0: { id: 1 } } })],
    ['another page than the one asked for', json({ current_page: 2, items: [{ id: 1 }] })],
    ['HTML', text('<h1>hello</h1>', { 'content-type': 'text/html' })],
    ['half a JSON', text('{"items":[')],
    ['a name twice', text('{"items":[],"items":[{"id":1}]}')],
    ['a deep nest', text(`{"items":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`)],
    ['"not modified"', status(304)],
  ])('that is %s is refused (attack 205)', async (_, answer) => {
    service.answers(answer);
    await expect(service.api().colleagues().page()).rejects.toMatchObject(malformed);
  });

  test.each([0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, '1', [1], null])(
    'number %p is not asked for (attack 225)',
    async (number) => {
      const wrong = { code: 'option_invalid', remedy: 'fix_code' };
      const colleagues = service.api().colleagues();
      await expect(colleagues.page(number as number)).rejects.toMatchObject(wrong);
      await expect(colleagues.page(1, { perPage: number as number })).rejects.toMatchObject(wrong);
      expect(service.requests).toEqual([]);
    },
  );

  test('without the scope says which one is missing', async () => {
    service.answers(status(403));
    const error = await all(service.api().colleagues()).catch((error) => error);
    expect(error).toMatchObject({ code: 'scope_missing', status: 403 });
    expect(error.message).toContain('"colleagues"');
  });
});

describe('going through all colleagues', () => {
  test('takes them page by page, a hundred at a time, and asks for no page too many', async () => {
    service.answers(paged(250));
    expect(await all(service.api().colleagues())).toEqual(upTo(250));
    expect(asked()).toEqual(['?page=1&per_page=100', '?page=2&per_page=100', '?page=3&per_page=100']);
  });

  test('asks only when the next is wanted, and stops when nobody wants more', async () => {
    service.answers(paged(250));
    const colleagues = service.api().colleagues({ perPage: 10 });
    expect(asked()).toEqual([]);
    for await (const { id } of colleagues) if (id === '11') break;
    expect(asked()).toEqual(['?page=1&per_page=10', '?page=2&per_page=10']);
  });

  test('begins anew each time: nothing of them is remembered (attack 199)', async () => {
    service.answers(paged(3));
    const api = service.api({ cache: createConditionalCache({ clock }).slot('grant') });
    const colleagues = api.colleagues();
    expect(await all(colleagues)).toEqual(await all(colleagues));
    expect(service.requests).toHaveLength(2);
    for (const { headers } of service.requests) {
      expect(headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(headers).not.toHaveProperty('if-none-match');
    }
    expect(inspect([api, colleagues], { depth: 9, showHidden: true })).not.toMatch(/'[123]'/);
  });

  test('of nobody ends after one question', async () => {
    service.answers(paged(0));
    expect(await all(service.api().colleagues())).toEqual([]);
    expect(service.requests).toHaveLength(1);
  });

  test.each<[string, object, number]>([
    ['a billion', { total_pages: 1e9, total_entries: 1e9 }, 4],
    ['none', { total_pages: 0 }, 3],
    ['one', { total_pages: 1 }, 3],
    ['nothing that is a number', { total_pages: 'x' }, 4],
  ])('is not misled by a list of 250 that says it has %s pages', async (_, lie, questions) => {
    service.answers(paged(250, lie));
    expect(await all(service.api().colleagues())).toEqual(upTo(250));
    expect(service.requests).toHaveLength(questions);
  });

  test('ends where a list brings nobody new, as when every page is the first', async () => {
    service.answers(json({ total_pages: 50, items: [{ id: 1 }, { id: 2 }] }));
    expect(await all(service.api().colleagues())).toEqual(['1', '2']);
    expect(service.requests).toHaveLength(2);
  });

  test('names nobody twice when the list moves meanwhile', async () => {
    const page = (ids: number[]) => json({ total_pages: 2, items: ids.map((id) => ({ id })) });
    service.answers(page([1, 2, 3]), page([3, 4]));
    expect(await all(service.api().colleagues())).toEqual(['1', '2', '3', '4']);
  });

  test('of a list without end is given up, and says so rather than passing for the whole', async () => {
    let id = 0;
    service.answers((req, res) => {
      id += 1;
      json({ items: [{ id }] })(req, res);
    });
    await expect(all(service.api().colleagues())).rejects.toMatchObject({ code: 'colleagues_endless', status: 502 });
    expect(service.requests).toHaveLength(1_000);
  });

  test('goes on after a 401 with the token that there is instead (attack 209)', async () => {
    const source = tokens('token-1', 'token-2');
    service.answers(paged(150), status(401), paged(150));
    expect(await all(service.api({ tokens: source }).colleagues())).toEqual(upTo(150));
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  test('is given up between two pages by whoever has enough of it', async () => {
    service.answers(paged(250));
    const giveUp = new AbortController();
    const begun = (async () => {
      for await (const { id } of service.api().colleagues({ signal: giveUp.signal })) {
        if (id === '100') giveUp.abort(new Error('enough'));
      }
    })();
    await expect(begun).rejects.toThrow('enough');
    expect(service.requests).toHaveLength(1);
  });
});
