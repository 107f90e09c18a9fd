import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Colleague } from '../../lib/resource-api/colleagues.js';
import { ConditionalCache } from '../../lib/resource-api/profile.js';
import { movableClock } from '../token-vault/movable-clock.js';
import { type APIUnderTest, clock, type Handler, json, slotOf, startAPI, status } from './api-under-test.js';

let service: APIUnderTest;
beforeEach(async () => {
  service = await startAPI();
});
afterEach(() => service.stop());

const malformed = { code: 'response_malformed', status: 502, remedy: 'investigate' };

/** A paged list as the service sends it, with at most 100 entries a page. */
function paged(total: number, more: object = {}): Handler {
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

const requestedURLs = () => service.requests.map((request) => request.url?.replace('/api/v1/colleagues', ''));
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

  test('is parsed with the counts of the service', async () => {
    service.responds(json({ total_entries: 41, current_page: 2, total_pages: 5, per_page: 10, items: [ITEM] }));
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
    expect(requestedURLs()).toEqual(['?page=2&per_page=10']);
    expect(service.requests[0]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
  });

  test.each<[string, unknown]>([
    ['absent', {}],
    ['not numbers', { total_entries: '3', total_pages: null, per_page: [30], current_page: '1' }],
    ['not safe integers', JSON.parse('{"total_entries":1e400,"total_pages":90071992547409931,"per_page":1e308}')],
  ])('whose counts are %s has items and no counts', async (_, counts) => {
    service.responds(json({ ...(counts as object), items: [{ id: 1 }] }));
    expect(await service.api().colleagues().page()).toStrictEqual({ currentPage: 1, items: [{ id: '1' }] });
  });

  test('omits entries without an id, and members of a wrong type', async () => {
    const odd = [null, 'x', 7, [], [{ id: 1 }], {}, { id: '1' }, { id: 0 }, { id: -1 }, { id: 1.5 }, { id: 2 ** 60 }];
    const wrong = { id: 5, firstname: ['A'], npi: '1', zip: 94110, profile_photo: 'javascript:alert(1)' };
    service.responds(json({ items: [...odd, wrong] }));
    expect((await service.api().colleagues().page()).items).toStrictEqual([{ id: '5' }]);
  });

  test.each<[string, Handler]>([
    ['an array', json([{ id: 1 }])],
    ['items that are an object', json({ items: { 0: { id: 1 } } })],
    ['another page than the requested one', json({ current_page: 2, items: [{ id: 1 }] })],
    ['a 304', status(304)],
  ])('that is %s is rejected', async (_, handler) => {
    service.responds(handler);
    await expect(service.api().colleagues().page()).rejects.toMatchObject(malformed);
  });

  test.each([0, 2.5, Number.NaN, '1', null])('number %p is rejected without a request', async (number) => {
    const wrong = (code: string) => ({ code, remedy: 'fix_code' });
    const colleagues = service.api().colleagues();
    const perPage = number as number;
    await expect(colleagues.page(perPage)).rejects.toMatchObject(wrong('argument_invalid'));
    await expect(colleagues.page(1, { perPage })).rejects.toMatchObject(wrong('option_invalid'));
    expect(service.requests).toEqual([]);
  });

  test('without the scope rejects with its name', async () => {
    service.responds(status(403));
    const error = await all(service.api().colleagues()).catch((error) => error);
    expect(error).toMatchObject({ code: 'scope_missing', status: 403 });
    expect(error.message).toContain('"colleagues"');
  });
});

describe('iterating over all colleagues', () => {
  test('requests pages of 100, and none after the last', async () => {
    service.responds(paged(250));
    expect(await all(service.api().colleagues())).toEqual(upTo(250));
    expect(requestedURLs()).toEqual(['?page=1&per_page=100', '?page=2&per_page=100', '?page=3&per_page=100']);
  });

  test('requests the pages again each time: nothing is cached', async () => {
    service.responds(paged(3));
    const api = service.api({ cache: slotOf(new ConditionalCache({ clock }), 'grant') });
    const colleagues = api.colleagues();
    expect(await all(colleagues)).toEqual(await all(colleagues));
    expect(service.requests).toHaveLength(2);
    for (const { headers } of service.requests) {
      expect(headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(headers).not.toHaveProperty('if-none-match');
    }
    expect(inspect([api, colleagues], { depth: 9, showHidden: true })).not.toMatch(/'[123]'/);
  });

  test.each<[string, object, number]>([
    ['a billion', { total_pages: 1e9, total_entries: 1e9 }, 4],
    ['0', { total_pages: 0 }, 3],
    ['1', { total_pages: 1 }, 3],
    ['an invalid number of', { total_pages: 'x' }, 4],
  ])('returns all 250 when the service sends %s pages', async (_, total, requests) => {
    service.responds(paged(250, total));
    expect(await all(service.api().colleagues())).toEqual(upTo(250));
    expect(service.requests).toHaveLength(requests);
  });

  test('ends with a page without a new colleague', async () => {
    service.responds(json({ total_pages: 50, items: [{ id: 1 }, { id: 2 }] }));
    expect(await all(service.api().colleagues())).toEqual(['1', '2']);
    expect(service.requests).toHaveLength(2);
  });

  test('repeats no colleague when the list changes between two pages', async () => {
    const page = (ids: number[]) => json({ total_pages: 2, items: ids.map((id) => ({ id })) });
    service.responds(page([1, 2, 3]), page([3, 4]));
    expect(await all(service.api().colleagues())).toEqual(['1', '2', '3', '4']);
  });

  test('rejects for a list of more than 1,000 pages', async () => {
    let id = 0;
    service.responds((req, res) => {
      id += 1;
      json({ items: [{ id }] })(req, res);
    });
    const running = movableClock(clock.now());
    const api = service.api({ clock: running, pause: async (ms) => running.advance(ms) });
    await expect(all(api.colleagues())).rejects.toMatchObject({ code: 'response_malformed', status: 502 });
    expect(service.requests).toHaveLength(1_000);
  });
});
