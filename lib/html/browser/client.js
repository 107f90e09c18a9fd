import { openPopup, popupSignedIn } from './popup.js';
import { listenForSessionEvents, watchSession } from './session-check.js';
import { completeShareLink } from './share.js';
import { showLocalTimes } from './times.js';

// The client script, for the site's own pages and for this package's pages. The data- attributes of a page select what runs
// on it. The site serves it from its own origin.

function start() {
  /** @param {string} selector */
  const find = (selector) => /** @type {HTMLElement | null} */ (document.querySelector(selector));
  document.addEventListener('click', openPopup);
  document.addEventListener('click', completeShareLink);
  const popup = find('[data-clinician-popup]');
  if (popup) popupSignedIn(popup.dataset);
  const frames = /** @type {NodeListOf<HTMLIFrameElement>} */ (
    document.querySelectorAll('iframe.clinician-session-check')
  );
  for (const frame of frames) listenForSessionEvents(frame);
  const form = /** @type {HTMLFormElement | null} */ (find('form[data-clinician-submit]'));
  form?.submit();
  showLocalTimes();
  const back = find('[data-clinician-back]');
  if (back) back.hidden = false;
  back?.addEventListener('click', (event) => {
    event.preventDefault();
    history.back();
  });
  const watched = find('[data-clinician-session-check]');
  if (watched) watchSession(watched.dataset);
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
