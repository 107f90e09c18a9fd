import { popupScript } from './popup-script.js';
import { sessionCheckScript } from './session-check-script.js';

/**
 * The text of the one client script, for the site's pages and for those of this package alike: what it does on a page, the page says
 * in data- attributes. To be served from the site's own origin as `text/javascript`.
 *
 * A page of the site that has the frame of the session check hears the event `clinician:signed-out` on its document when the
 * session has ended; unless that is prevented, it is loaded anew.
 */
export const clientScript: string = `(() => {
'use strict';
${popupScript}${sessionCheckScript}
function begin() {
  const find = (selector) => document.querySelector(selector);
  document.addEventListener('click', signInWindow);
  if (find('[data-clinician-popup]')) signInWindowDone();
  if (find('iframe.clinician-session-check')) hearOfSignOut();
  const watched = find('[data-clinician-session-check]');
  if (watched) watchSession(watched.dataset);
  const result = find('[data-clinician-outcome]');
  if (result) silentCheckDone(result.dataset);
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
else begin();
})();
`;
