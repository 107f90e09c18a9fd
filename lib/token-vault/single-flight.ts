/** Runs one act at a time for each key; whoever asks meanwhile gets the answer of the act under way. */
export interface SingleFlight<T> {
  run(key: string, act: () => Promise<T>): Promise<T>;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const underWay = new Map<string, Promise<T>>();

  return {
    run(key, act) {
      const joined = underWay.get(key);
      if (joined !== undefined) return joined;
      // In the map before anything is awaited: a second caller in the same tick must find it.
      const flight = Promise.resolve()
        .then(act)
        .finally(() => underWay.delete(key));
      underWay.set(key, flight);
      return flight;
    },
  };
}
