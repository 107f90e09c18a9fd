import { byID } from './dom.js';
import { showLogins } from './logins.js';
import { startPolling } from './provider.js';
import { showToolbar, startToolbar } from './toolbar.js';
import { startValues } from './values.js';

// The inspector's page: shows the provider's state and updates it every second.

startToolbar();
void startPolling((state) => {
  startValues(() => showLogins(state));
  byID('issuer').textContent = state.issuer;
  showToolbar(state);
  showLogins(state);
});
