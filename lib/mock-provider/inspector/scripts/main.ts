/** Puts the page together. */
export const MAIN_SCRIPT = `
import { showClock, tick } from './clock.js';
import { byID } from './dom.js';
import { showFaults, startFaults } from './faults.js';
import { showFindings } from './findings.js';
import { draw, showHoldings } from './grants.js';
import { showLogins } from './logins.js';
import { showPeople } from './accounts.js';
import { press, watch } from './provider.js';
import { setClock } from './time.js';

await startFaults();
byID('reset').addEventListener('click', () => press('reset'));
await watch((state) => {
  setClock(state.clock);
  byID('issuer').textContent = state.issuer;
  showClock(state.clock);
  showLogins(state);
  showFaults(state.queuedFaults);
  showFindings(state);
  showHoldings(state);
  showPeople(state);
});
setInterval(() => {
  tick();
  draw();
}, 1000);
`;
