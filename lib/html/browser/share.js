import { clickedLink } from './clicked-link.js';

// The client script, for the site's own pages, which may contain HTML of users. It acts only on a click on a link. It reads no other
// element, because any markup can be of a user. The site serves it from its own origin. A feature can add a script to it.
//
// While the service's script has not changed a share link, the link has no query: it would open an empty message.

window.addEventListener('click', completeShareLink);

/**
 * Adds the values of the data- attributes to a share link that is clicked, unless the service's script has added them or
 * handles the click.
 * @param {MouseEvent} event
 */
function completeShareLink(event) {
  const link = clickedLink(event, '.clinician-share-script');
  if (!link || link.search) return;
  const query = new URLSearchParams();
  for (const name of ['url', 'message', 'subject']) {
    const value = link.dataset[name];
    if (value) query.set(name, value);
  }
  link.search = query.toString().replaceAll('+', '%20');
}
