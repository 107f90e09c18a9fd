import { h } from './dom.js';
import { callControl } from './provider.js';
import { redirectURIOf } from './snippets.js';

/**
 * @import { TestSignIn } from '../test-sign-in.js'
 * @import { ClientView } from '../view.js'
 */

/** @type {Record<TestSignIn['site'], (origin: string) => string>} */
const MESSAGES = {
  starts: (origin) => `${origin} started the sign-in in another tab.`,
  runs: () =>
    'Your site runs, but no login route was found beside its callback. Start the sign-in at your site, or here: a correct site rejects the response, because it did not request it.',
  stopped: (origin) =>
    `No site is running at ${origin}. Start it and try again. Without it the browser shows an error after the sign-in.`,
  unknown: (origin) =>
    `Start the sign-in at ${origin}, or here: a correct site rejects the response, because it did not request it.`,
};

/**
 * Creates the form that starts a sign-in with a registered client.
 * @param {readonly ClientView[]} clients
 */
export function testSignIn(clients) {
  const client = h(
    'select',
    { id: 'sign-in-client', 'data-key': 'sign-in client' },
    clients.map(({ clientID }) => h('option', {}, clientID)),
  );
  const redirectURI = h('input', {
    id: 'sign-in-uri',
    'data-key': 'sign-in uri',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const message = h('p', { role: 'status' });
  const setRedirectURI = () => {
    const selected = clients.find(({ clientID }) => clientID === client.value);
    redirectURI.value = selected ? redirectURIOf(selected) : '';
  };
  const start = async () => {
    // Opened before the response: a browser blocks a tab that opens later.
    const tab = open('', '_blank');
    message.replaceChildren();
    /** @type {TestSignIn | undefined} */
    const result = await callControl('startSignIn', { clientID: client.value, redirectURI: redirectURI.value });
    if (result?.site === 'starts' && tab) tab.location.href = result.url;
    else tab?.close();
    if (!result) return;
    const link = h('a', { href: result.url, target: '_blank', rel: 'noopener' }, 'Sign in anyway');
    message.append(MESSAGES[result.site](result.origin), ' ', ...(result.site === 'starts' ? [] : [link]));
  };
  client.addEventListener('change', setRedirectURI);
  setRedirectURI();
  return h(
    'div',
    { class: 'test-sign-in' },
    h('div', { class: 'field' }, h('label', { for: 'sign-in-client' }, 'Client'), client),
    h('div', { class: 'field' }, h('label', { for: 'sign-in-uri' }, 'Redirect URI'), redirectURI),
    h('button', { type: 'button', 'data-key': 'start sign-in', onclick: () => void start() }, 'Start a test sign-in'),
    message,
  );
}
