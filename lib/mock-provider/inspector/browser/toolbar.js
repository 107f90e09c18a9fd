import { button, byID, fill, h } from './dom.js';
import { callControl } from './provider.js';
import { durationText } from './time.js';

/** @import { InspectorView } from '../view.js' */

const MIN_OFFSET_MS = 2000;
/** @type {InspectorView['clock']} */
let clock = { offset: 0 };

/**
 * @param {string} label
 * @param {string} key
 * @param {object} move the body of the operation
 */
function moveButton(label, key, move) {
  return button(label, `clock ${key}`, () => callControl('POST', 'clock', move));
}

function clockStatus() {
  if (clock.now !== undefined) return 'frozen';
  if (Math.abs(clock.offset) < MIN_OFFSET_MS) return 'same as this machine';
  return durationText(clock.offset) + (clock.offset > 0 ? ' ahead' : ' behind');
}

function clockParts() {
  const isFrozen = clock.now !== undefined;
  const isMoved = isFrozen || Math.abs(clock.offset) >= MIN_OFFSET_MS;
  return [
    h('p.now', h('time', { id: 'now' }), h('span.clock-status', clockStatus())),
    h(
      'div.buttons',
      { role: 'group', 'aria-label': 'Move the clock' },
      moveButton('+1 hour', 'hour', { advance: '1 hour' }),
      moveButton('+3 days', 'days', { advance: '3 days' }),
      moveButton(isFrozen ? 'Resume' : 'Freeze', 'freeze', { freeze: !isFrozen }),
      isMoved && moveButton('Back to now', 'reset', { reset: true }),
    ),
  ];
}

/** Shows the time by the provider's clock. */
function showTime() {
  const element = document.getElementById('now');
  if (!element) return;
  const now = new Date(clock.now ?? Date.now() + clock.offset);
  const date = now.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
  const text = `${date}, ${now.toLocaleTimeString(undefined, { hour12: false })}`;
  if (element.textContent !== text) element.textContent = text;
}

const nextResponse = () => /** @type {HTMLSelectElement} */ (byID('fault'));

/** @param {InspectorView} state */
export function showToolbar(state) {
  ({ clock } = state);
  fill(byID('clock'), clock, clockParts);
  showTime();
  nextResponse().value = state.faults[0] ?? '';
}

export function startToolbar() {
  byID('reset').addEventListener('click', () => callControl('POST', 'reset'));
  nextResponse().addEventListener('change', async () => {
    const name = nextResponse().value;
    await callControl('DELETE', 'faults');
    if (name) await callControl('POST', 'faults', { name });
  });
  setInterval(showTime, 1000);
}
