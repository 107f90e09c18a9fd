/** @import { InspectorView } from '../view.js' */

/** @type {[seconds: number, name: string][]} */
const UNITS = [
  [86400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/**
 * Formats a duration in its largest unit, rounded: 259200 seconds are 3 days, 90 seconds are 2 minutes.
 * @param {number} milliseconds
 */
export function durationText(milliseconds) {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? [1, 'second'];
  const count = Math.round(seconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** @type {InspectorView['clock']} */
let clock = { offset: 0 };

/** @param {InspectorView['clock']} state */
export function setClock(state) {
  clock = state;
}

/** @returns the time by the provider's clock, in milliseconds since the epoch. */
export function providerNow() {
  return clock.now ?? Date.now() + clock.offset;
}

/** @param {number} time */
export function timeOfDay(time) {
  return new Date(time).toLocaleTimeString(undefined, { hour12: false });
}

/**
 * Formats a time as 'in 4 minutes' or '3 days ago'.
 * @param {number} time
 */
export function relativeTime(time) {
  const left = time - providerNow();
  if (Math.abs(left) < 1000) return 'now';
  return left > 0 ? `in ${durationText(left)}` : `${durationText(left)} ago`;
}
