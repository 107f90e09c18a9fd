/** A source of the current time. It is a parameter of everything that needs the time, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The system clock, which is the default. */
export const systemClock: Clock = { now: () => Date.now() };

/** @returns whole seconds since the Unix epoch, as in a NumericDate (RFC 7519 section 2). */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
