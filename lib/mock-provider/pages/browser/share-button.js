// Turns each link of the class `service-share-button` into the service's button, 140 by 30 points (service spec: share button).
// It sets styles through the DOM, which a Content-Security-Policy without inline styles allows. Without this script it
// remains a link.

const PARAMETERS = ['url', 'message', 'subject'];
const LINK_STYLE = {
  display: 'inline-flex',
  'box-sizing': 'border-box',
  'align-items': 'center',
  'justify-content': 'center',
  width: '140pt',
  'min-height': '30pt', // a label of more than two lines makes the button higher
  padding: '0 5pt',
  border: '0',
  'border-radius': '6pt',
  background: '#0b5c73',
  color: '#fff',
  font: '500 10pt/1.2 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  'text-decoration': 'none',
  'vertical-align': 'middle',
};
const LABEL_STYLE = { 'min-width': '0', 'overflow-wrap': 'anywhere' };

/**
 * @param {HTMLElement} element
 * @param {Record<string, string>} style
 */
function applyStyle(element, style) {
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
}

/**
 * Adds the data- attributes to the link's address as query parameters. They replace parameters of the same name, so that each is
 * sent once.
 * @param {HTMLAnchorElement} link
 */
function addressOf(link) {
  const [, path = '', query = '', fragment = ''] =
    /^([^?#]*)\??([^#]*)(.*)$/s.exec(link.getAttribute('href') ?? '') ?? [];
  const parameters = query.split('&').filter((pair) => {
    const name = pair.split('=', 1)[0] ?? '';
    return pair !== '' && !(PARAMETERS.includes(name) && link.dataset[name]);
  });
  for (const name of PARAMETERS) {
    const value = link.dataset[name];
    if (value) parameters.push(`${name}=${encodeURIComponent(value.toWellFormed?.() ?? value)}`);
  }
  return path + (parameters.length > 0 ? `?${parameters.join('&')}` : '') + fragment;
}

/** @param {HTMLAnchorElement} link */
function upgrade(link) {
  if (link.dataset.serviceShareButton === 'ready') return;
  link.dataset.serviceShareButton = 'ready';
  link.setAttribute('href', addressOf(link));
  link.target = '_blank';
  link.rel = 'noopener';
  const label = document.createElement('span');
  label.append(...link.childNodes);
  if (!label.textContent?.trim()) label.textContent = 'Share';
  applyStyle(link, LINK_STYLE);
  applyStyle(label, LABEL_STYLE);
  link.append(label);
}

function upgradeAll() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll('a.service-share-button');
  for (const link of links) upgrade(link);
}

if (document.readyState === 'loading') addEventListener('DOMContentLoaded', upgradeAll);
upgradeAll();
