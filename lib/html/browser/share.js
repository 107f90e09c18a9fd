import { clickedLink } from './popup.js';

// The share button with the service's script. While the script has not changed the link, the link has no query: it would open an
// empty message.

/**
 * Adds the values of the data- attributes to a share link that is clicked, unless the service's script has added them or
 * handles the click.
 * @param {MouseEvent} event
 */
export function completeShareLink(event) {
  const link = clickedLink(event, '.clinician-share-script');
  if (!link || link.search) return;
  const query = new URLSearchParams();
  for (const name of ['url', 'message', 'subject']) {
    const value = link.dataset[name];
    if (value) query.set(name, value);
  }
  link.search = query.toString().replaceAll('+', '%20');
}
