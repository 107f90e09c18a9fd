/** Provides the current time. It is a parameter of everything that needs the time, so that tests can control it. */
export interface Clock {
  /** @returns milliseconds since the Unix epoch. */
  now(): number;
}

/** Reads the system clock, which is the default. */
export const systemClock: Clock = { now: () => Date.now() };
