import { describe, expect, test } from '@jest/globals';
import { BoundedMap, PendingWork } from '../../lib/async/work.js';

/** Work whose end the test controls. */
function controlled<T>() {
  let end: (result: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

describe('close()', () => {
  test('without work is complete at once, also a second time', async () => {
    const work = new PendingWork();
    expect(await work.close(1_000)).toBe(true);
    expect(await work.close(1_000)).toBe(true);
  });

  test('waits for work that ends, that fails, and that other work starts', async () => {
    const work = new PendingWork();
    const [first, second] = [controlled<string>(), controlled<string>()];
    const failing = expect(work.track(Promise.reject(new Error('down')))).rejects.toThrow('down');
    let isSecondEnded = false;
    const startSecond = async () => {
      await second.promise;
      isSecondEnded = true;
    };
    void work.track(first.promise).then(() => work.track(startSecond()));
    const closing = work.close(10_000);
    first.end('first');
    setTimeout(() => second.end('second'), 20);
    expect(await closing).toBe(true);
    expect(isSecondEnded).toBe(true);
    await failing;
  });

  test('is not complete where work does not end within the time', async () => {
    const work = new PendingWork();
    void work.track(new Promise(() => undefined));
    const closing = work.close(20);
    expect(work.closing.aborted).toBe(true);
    expect(await closing).toBe(false);
  });

  test('starts no more work, and continues to track what has started', async () => {
    const work = new PendingWork();
    const running = controlled<string>();
    void work.track(controlled().promise);
    const closing = work.close(60);
    let hasStarted = false;
    const starting = work.start(async () => {
      hasStarted = true;
    });
    await expect(starting).rejects.toMatchObject({ code: 'closed', status: 503, retryable: true });
    expect(hasStarted).toBe(false);
    running.end('end');
    expect(await work.track(running.promise)).toBe('end');
    expect(await closing).toBe(false);
  });
});

test('one entry above the limit drops the entry set longest ago', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('c', 3);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ]);
});

test('an entry set again is the newest, and drops nothing', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
  expect([...map]).toEqual([
    ['b', 2],
    ['a', 3],
  ]);
  expect([...map.set('c', 4).keys()]).toEqual(['a', 'c']);
});
