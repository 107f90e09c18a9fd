import { showAccounts } from './accounts.js';
import { showClock, showTime } from './clock.js';
import { byID } from './dom.js';
import { showFaults, startFaults } from './faults.js';
import { showFindings } from './findings.js';
import { showGrants, updateTimes } from './grants.js';
import { showLogins } from './logins.js';
import { callControl, startPolling } from './provider.js';
import { showFilters } from './selection.js';
import { setClock } from './time.js';
import { startValues } from './values.js';

// The inspector's page: shows the provider's state and updates it every second.

async function start() {
  await startFaults();
  byID('reset').addEventListener('click', () => callControl('reset'));
  await startPolling((state) => {
    startValues(() => showLogins(state));
    setClock(state.clock);
    byID('issuer').textContent = state.issuer;
    showClock(state.clock);
    showFilters(state);
    showLogins(state);
    showFaults(state.queuedFaults);
    showFindings(state);
    showGrants(state);
    showAccounts(state);
  });
  setInterval(() => {
    showTime();
    updateTimes();
  }, 1000);
}

void start();
