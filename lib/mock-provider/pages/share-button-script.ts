/**
 * Turns every link of the class \`service-share-button\` into the service's button, 140 by 30 points (service spec: share button).
 * It styles by script alone, so a page's policy needs no inline style; without it, the link is a link.
 */
export const SHARE_BUTTON_SCRIPT = `'use strict';
(() => {
  const names = ['url', 'message', 'subject'];
  const looks = {
    display: 'inline-flex', 'box-sizing': 'border-box', 'align-items': 'center', 'justify-content': 'center', gap: '5pt',
    width: '140pt', height: '30pt', padding: '0 6pt', overflow: 'hidden', border: '0', 'border-radius': '6pt',
    background: '#0b656b', color: '#fff', font: '600 9.5pt/30pt system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
    'text-decoration': 'none', 'white-space': 'nowrap', 'vertical-align': 'middle',
  };
  const label = { 'min-width': '0', overflow: 'hidden', 'text-overflow': 'ellipsis' };
  const picture = 'M3 4h18v12H8l-5 4z';

  // By script, which a policy against inline styles lets through.
  function dress(element, style) {
    for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
  }

  function drawing() {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    for (const [name, value] of [['viewBox', '0 0 24 24'], ['width', '18'], ['height', '18'], ['aria-hidden', 'true'], ['fill', 'currentColor']]) {
      svg.setAttribute(name, value);
    }
    dress(svg, { flex: 'none' });
    path.setAttribute('d', picture);
    svg.append(path);
    return svg;
  }

  function address(link) {
    const given = names.filter((name) => link.dataset[name]);
    const query = given.map((name) => name + '=' + encodeURIComponent(link.dataset[name].toWellFormed?.() ?? link.dataset[name]));
    const [, before, hash] = /^([^#]*)(.*)$/s.exec(link.getAttribute('href') ?? '');
    if (query.length === 0) return before + hash;
    return before + (before.includes('?') ? '&' : '?') + query.join('&') + hash;
  }

  function upgrade(link) {
    if (link.dataset.serviceShareButton === 'ready') return;
    link.dataset.serviceShareButton = 'ready';
    link.setAttribute('href', address(link));
    link.target = '_blank';
    link.rel = 'noopener';
    const text = document.createElement('span');
    text.append(...link.childNodes);
    if (!text.textContent.trim()) text.textContent = 'Share';
    link.title ||= text.textContent.trim(); // all of it, where it is too long for the button
    dress(link, looks);
    dress(text, label);
    link.append(drawing(), text);
  }

  const upgradeAll = () => document.querySelectorAll('a.service-share-button').forEach(upgrade);
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', upgradeAll);
  upgradeAll();
})();
`;
