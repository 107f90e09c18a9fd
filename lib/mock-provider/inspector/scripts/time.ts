/** Times as people read them. */
export const TIME_SCRIPT = `
const UNITS = [[86400, 'day'], [3600, 'hour'], [60, 'minute'], [1, 'second']];

/** 259200 seconds are 3 days; 90 are 2 minutes. */
export function span(milliseconds) {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? UNITS.at(-1);
  const count = Math.round(seconds / size);
  return count + ' ' + name + (count === 1 ? '' : 's');
}

let clock = { offset: 0 };
export function setClock(now) {
  clock = now;
}

/** What time it is at the provider. */
export function providerNow() {
  return clock.now ?? Date.now() + clock.offset;
}

export function timeOfDay(time) {
  return new Date(time).toLocaleTimeString(undefined, { hour12: false });
}

/** 'in 4 minutes', '3 days ago'. */
export function fromNow(time) {
  const left = time - providerNow();
  if (Math.abs(left) < 1000) return 'now';
  return left > 0 ? 'in ' + span(left) : span(left) + ' ago';
}
`;
