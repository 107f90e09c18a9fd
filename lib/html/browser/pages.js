import { popupSignedIn } from './popup.js';
import { notifyPage, watchSession } from './session-check.js';
import { showLocalTimes } from './times.js';

// The script of this package's pages, whose data- attributes select what runs. It is part of their HTML and has no URL: a page of the
// site, with HTML of a user, cannot load it.

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement | null} */ (document.querySelector(selector));
const popup = find('[data-clinician-popup]');
if (popup) popupSignedIn(popup.dataset);
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
// A page of another site can open this page in a window, and count its frames.
if (watched && parent !== window) {
  notifyPage();
  watchSession(watched.dataset);
}
