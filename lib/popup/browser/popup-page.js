import { broadcast } from '../../html/browser/open-pages.js';

// The last page of a sign-in in a popup notifies the page that opened it, and closes. Only the site knows the path to return to: a
// proxy may have stripped a part of it. A page that has loaded an earlier version of the client script waits for the second message.

const popup = /** @type {HTMLElement | null} */ (document.querySelector('[data-clinician-popup]'));
const { returnTo } = popup?.dataset ?? {};
if (returnTo) broadcast(`signed-in ${returnTo}`);
broadcast('signed-in');
setTimeout(() => window.close(), 200);
