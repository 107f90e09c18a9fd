import { describe, expect, test } from '@jest/globals';
import { createSingleFlight } from '../../lib/async/single-flight.js';

describe('a single flight', () => {
  function counted() {
    const calls: string[] = [];
    const flight = createSingleFlight<string>();
    const run = (key: string, result: () => Promise<string> = async () => key) =>
      flight.run(key, () => {
        calls.push(key);
        return result();
      });
    return { calls, run };
  }

  test('runs one call for concurrent callers with the same key', async () => {
    const { calls, run } = counted();
    expect(await Promise.all([run('a'), run('b'), run('a'), run('a')])).toEqual(['a', 'b', 'a', 'a']);
    expect(calls).toEqual(['a', 'b']);
  });

  test('runs the next call after the first has settled, also after a failure', async () => {
    const { calls, run } = counted();
    const failing = () => Promise.reject(new Error('down'));
    const outcomes = await Promise.allSettled([run('a', failing), run('a')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await run('a')).toBe('a');
    expect(calls).toEqual(['a', 'a']);
  });

  test('rejects where the call throws synchronously', async () => {
    const flight = createSingleFlight<string>();
    const throwing = () => {
      throw new Error('broken');
    };
    await expect(flight.run('a', throwing)).rejects.toThrow('broken');
  });
});
