import { openPopup } from './popup.js';
import { completeShareLink } from './share.js';

// The client script, for the site's own pages, which may contain HTML of users. It acts only on a click on a link. It reads no other
// element, because any markup can be of a user. The site serves it from its own origin.

window.addEventListener('click', openPopup);
window.addEventListener('click', completeShareLink);
