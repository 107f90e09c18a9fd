import { badge, button, byID, facts, fill, h } from './dom.js';
import { callControl, showError } from './provider.js';
import { SNIPPET_NAMES, snippet } from './snippets.js';

/**
 * @import { ClinicianState } from '../../control/snapshot.js'
 * @import { SnippetName } from './snippets.js'
 * @import { ClientView, InspectorView } from '../view.js'
 */

/** The kind of configuration that each client shows. @type {SnippetName} */
let chosen = 'Express';
/** @type {InspectorView | undefined} */
let latest;

/** @param {ClinicianState} clinician */
function clinicianItem({ username, fullName, id, sub, email, verified, sessions }) {
  const verify = verified ? 'Make pending' : 'Verify';
  const update = () => callControl('updateClinician', { username, verified: !verified });
  const signOut = () => callControl('endSessions', { username });
  return h(
    'details',
    { 'data-key': `clinician ${username}` },
    h(
      'summary',
      { 'data-key': `clinician summary ${username}` },
      h('bdi', {}, username),
      ' ',
      badge(verified ? 'good' : 'wait', verified ? 'verified' : 'pending'),
      sessions > 0 && badge('plain', 'signed in'),
    ),
    facts([
      ['Name', fullName && h('bdi', {}, fullName)],
      ['Email', email && h('bdi', {}, email)],
      ['ID', String(id)],
      ['Subject', h('code', {}, sub)],
    ]),
    h(
      'div',
      { class: 'buttons' },
      button(verify, `verify ${username}`, update, `${verify}: ${username}`),
      sessions > 0 && button('Sign out', `sign out ${username}`, signOut, `Sign out: ${username}`),
    ),
  );
}

/**
 * @param {Event} event
 * @param {string} text
 */
async function copy(event, text) {
  const target = /** @type {HTMLElement} */ (event.target);
  try {
    await navigator.clipboard.writeText(text);
    target.textContent = 'Copied';
    setTimeout(() => {
      target.textContent = 'Copy';
    }, 1500);
  } catch {
    showError('The browser does not allow this page to copy. Select the text and copy it.');
  }
}

/** @param {string} clientID */
function snippetChoice(clientID) {
  const select = h(
    'select',
    { 'data-key': `snippet ${clientID}`, 'aria-label': `Kind of configuration for ${clientID}` },
    SNIPPET_NAMES.map((name) => h('option', { selected: name === chosen }, name)),
  );
  select.addEventListener('change', () => {
    chosen = /** @type {SnippetName} */ (select.value);
    if (latest) showAccounts(latest);
  });
  return select;
}

/**
 * @param {ClientView} client
 * @param {Pick<InspectorView, 'issuer' | 'apiURL'>} addresses
 */
function clientItem(client, addresses) {
  const { clientID, flow, scope, redirectURIs, takesAnyLoopbackURI, requiresPKCE, blacklisted } = client;
  const text = snippet(chosen, client, addresses);
  const redirects = takesAnyLoopbackURI
    ? 'any loopback URL'
    : redirectURIs.map((uri) => h('code', { class: 'uri' }, uri));
  const blacklist = blacklisted ? 'Remove from the blacklist' : 'Blacklist';
  const change = () => callControl('changeClient', { clientID, blacklisted: !blacklisted });
  return h(
    'details',
    { 'data-key': `client ${clientID}` },
    h(
      'summary',
      { 'data-key': `client summary ${clientID}` },
      h('bdi', {}, clientID),
      ' ',
      badge('plain', flow),
      blacklisted && badge('bad', 'blacklisted'),
    ),
    facts([
      ['Scope', scope.join(' ')],
      ['PKCE', requiresPKCE ? 'required' : 'not required'],
      ['Redirect', redirects],
    ]),
    snippetChoice(clientID),
    h('pre', { tabindex: '0', 'aria-label': `Configuration of ${clientID}` }, h('code', {}, text)),
    h(
      'div',
      { class: 'buttons' },
      button('Copy', `copy ${clientID}`, (event) => copy(event, text), `Copy the configuration of ${clientID}`),
      button(blacklist, `blacklist ${clientID}`, change, `${blacklist}: ${clientID}`),
    ),
  );
}

/** @param {InspectorView} state */
export function showAccounts(state) {
  latest = state;
  const { clinicians, clients, issuer, apiURL, keys } = state;
  fill(byID('clinicians'), clinicians, () => [
    h('p', { class: 'soft' }, 'The password is "clinician" unless you set another one.'),
    clinicians.map(clinicianItem),
  ]);
  fill(byID('clients'), [clients, issuer, apiURL, keys, chosen], () => [
    clients.map((client) => clientItem(client, { issuer, apiURL })),
    h(
      'div',
      { class: 'key' },
      h('p', { class: 'soft' }, 'Signs with ', h('code', {}, keys.current)),
      button('Rotate the signing key', 'rotate', () => callControl('rotateKeys')),
    ),
  ]);
}
