import { button, byID, fill, h } from './dom.js';
import { callControl } from './provider.js';
import { durationText, providerNow } from './time.js';

/** @import { InspectorView } from '../view.js' */

const MIN_OFFSET_MS = 2000;

/**
 * @param {string} label
 * @param {string} key
 * @param {object} move the body of the operation `moveClock`
 */
function moveButton(label, key, move) {
  return button(label, `clock ${key}`, () => callControl('moveClock', move));
}

/** @param {InspectorView['clock']} clock */
function clockStatus({ offset, now }) {
  if (now !== undefined) return 'frozen';
  if (Math.abs(offset) < MIN_OFFSET_MS) return 'same as this machine';
  return durationText(offset) + (offset > 0 ? ' ahead' : ' behind');
}

/** @param {InspectorView['clock']} clock */
export function showClock(clock) {
  const isFrozen = clock.now !== undefined;
  const isMoved = isFrozen || Math.abs(clock.offset) >= MIN_OFFSET_MS;
  fill(byID('clock'), clock, () => [
    h('p', { class: 'now' }, h('time', { id: 'now' }), h('span', { class: 'clock-status' }, clockStatus(clock))),
    h(
      'div',
      { class: 'buttons', role: 'group', 'aria-label': 'Move the clock' },
      moveButton('+1 hour', 'hour', { advance: '1 hour' }),
      moveButton('+3 days', 'days', { advance: '3 days' }),
      moveButton(isFrozen ? 'Resume' : 'Freeze', 'freeze', { freeze: !isFrozen }),
      isMoved && moveButton('Back to now', 'reset', { reset: true }),
    ),
  ]);
  showTime();
}

export function showTime() {
  const element = document.getElementById('now');
  if (!element) return;
  const now = new Date(providerNow());
  const date = now.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
  const text = `${date}, ${now.toLocaleTimeString(undefined, { hour12: false })}`;
  if (element.textContent !== text) element.textContent = text;
}
