/** The clock: what time it is at the provider, and buttons to move it. */
export const CLOCK_SCRIPT = `
import { byID, fill, h } from './dom.js';
import { press } from './provider.js';
import { providerNow, span } from './time.js';

function button(label, key, move) {
  return h('button', { type: 'button', class: 'quiet', 'data-key': 'clock ' + key, onclick: () => press('moveClock', move) }, label);
}

function standing({ offset, now }) {
  if (now !== undefined) return 'stands still';
  if (Math.abs(offset) < 2000) return 'as on this machine';
  return span(offset) + (offset > 0 ? ' ahead' : ' behind');
}

export function showClock(clock) {
  fill(byID('clock'), clock, () => [
    h('p', { class: 'now' }, h('time', { id: 'now' }), h('span', { class: 'standing' }, standing(clock))),
    h('div', { class: 'buttons', role: 'group', 'aria-label': 'Move the clock' },
      button('+5 minutes', 'minutes', { advance: '5 minutes' }),
      button('+1 hour', 'hour', { advance: '1 hour' }),
      button('+3 days', 'days', { advance: '3 days' }),
      clock.now === undefined ? button('Freeze', 'freeze', { freeze: true }) : button('Run on', 'freeze', { freeze: false }),
      button('Back to now', 'reset', { reset: true })),
  ]);
  tick();
}

export function tick() {
  const place = byID('now');
  if (!place) return;
  const now = new Date(providerNow());
  const text = now.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' }) + ', ' +
    now.toLocaleTimeString(undefined, { hour12: false });
  if (place.textContent !== text) place.textContent = text;
}
`;
