/** A source of the current time. Every part that asks for the time is handed one, so that tests move it instead of waiting. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's own clock: the default everywhere. */
export const systemClock: Clock = { now: () => Date.now() };

/** @returns whole seconds since the Unix epoch, the unit of every time on the wire (RFC 7519 section 2, NumericDate). */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
