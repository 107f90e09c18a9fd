/** Runs one call at a time for each key. Concurrent callers share its result. */
interface SingleFlight<T> {
  run(key: string, call: () => Promise<T>): Promise<T>;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const pending = new Map<string, Promise<T>>();

  return {
    run(key, call) {
      const shared = pending.get(key);
      if (shared !== undefined) return shared;
      // Set before the first await, so that a second caller in the same tick finds it.
      const flight = Promise.resolve()
        .then(call)
        .finally(() => pending.delete(key));
      pending.set(key, flight);
      return flight;
    },
  };
}
