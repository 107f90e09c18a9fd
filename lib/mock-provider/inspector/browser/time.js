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

/** @param {number} time */
export function timeOfDay(time) {
  return new Date(time).toLocaleTimeString(undefined, { hour12: false });
}
