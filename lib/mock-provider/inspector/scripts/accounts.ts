/** The clinicians and the clients. */
export const PEOPLE_SCRIPT = `
import { badge, byID, facts, fill, h } from './dom.js';
import { complain, press } from './provider.js';

function clinician({ username, fullName, id, sub, email, verified, sessions }) {
  return h('details', { 'data-key': 'clinician ' + username },
    h('summary', { 'data-key': 'clinician summary ' + username }, h('bdi', {}, username), ' ', badge(verified ? 'good' : 'wait', verified ? 'verified' : 'pending'),
      sessions > 0 && badge('plain', 'signed in')),
    facts([['Name', fullName && h('bdi', {}, fullName)], ['E-mail', email && h('bdi', {}, email)], ['Id', String(id)], ['Subject', h('code', {}, sub)]]),
    h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'quiet', 'data-key': 'verify ' + username, 'aria-label': (verified ? 'Make pending: ' : 'Verify: ') + username, onclick: () => press('updateClinician', { username, verified: !verified }) }, verified ? 'Make pending' : 'Verify'),
      sessions > 0 && h('button', { type: 'button', class: 'quiet', 'data-key': 'sign out ' + username, 'aria-label': 'Sign out: ' + username, onclick: () => press('signOutEverywhere', { username }) }, 'Sign out')));
}

function configuration({ clientID, flow, redirectURIs, takesAnyLoopbackURI }, issuer) {
  const callback = takesAnyLoopbackURI ? 'http://127.0.0.1:3000/auth/callback' : redirectURIs[0];
  return ['clinicianLogin({',
    '  issuer: ' + JSON.stringify(issuer) + ',',
    '  apiURL: ' + JSON.stringify(issuer) + ',',
    '  flow: ' + JSON.stringify(flow) + ',',
    '  clientID: ' + JSON.stringify(clientID) + ',',
    '  clientSecret: process.env.CLINICIAN_CLIENT_SECRET,',
    '  callbackURL: ' + JSON.stringify(callback) + ',',
    '  secret: process.env.SESSION_SECRET,',
    '});'].join('\\n');
}

async function copy(event, text) {
  const { target } = event;
  try {
    await navigator.clipboard.writeText(text);
    target.textContent = 'Copied';
    setTimeout(() => { target.textContent = 'Copy'; }, 1500);
  } catch {
    complain('The browser does not let this page copy: mark the text and copy it yourself.');
  }
}

function client(one, issuer) {
  const { clientID, flow, scope, redirectURIs, takesAnyLoopbackURI, requiresPKCE, blacklisted } = one;
  const text = configuration(one, issuer);
  return h('details', { 'data-key': 'client ' + clientID },
    h('summary', { 'data-key': 'client summary ' + clientID }, h('bdi', {}, clientID), ' ', badge('plain', flow), blacklisted && badge('bad', 'blacklisted')),
    facts([['Scope', scope.join(' ')], ['PKCE', requiresPKCE ? 'required' : 'not required'],
      ['Redirect', takesAnyLoopbackURI ? 'any address of this machine' : redirectURIs.map((uri) => h('code', { class: 'uri' }, uri))]]),
    h('pre', { tabindex: '0', 'aria-label': 'Configuration of ' + clientID }, h('code', {}, text)),
    h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'quiet', 'data-key': 'copy ' + clientID, 'aria-label': 'Copy the configuration of ' + clientID, onclick: (event) => copy(event, text) }, 'Copy'),
      h('button', { type: 'button', class: 'quiet', 'data-key': 'blacklist ' + clientID, 'aria-label': (blacklisted ? 'Take off the blacklist: ' : 'Blacklist: ') + clientID, onclick: () => press('changeClient', { clientID, blacklisted: !blacklisted }) }, blacklisted ? 'Take off the blacklist' : 'Blacklist')));
}

export function showPeople({ clinicians, clients, issuer, keys }) {
  fill(byID('clinicians'), clinicians, () => [h('p', { class: 'soft' }, 'The password is "clinician", unless you gave another.'), clinicians.map(clinician)]);
  fill(byID('clients'), [clients, issuer, keys], () => [
    clients.map((one) => client(one, issuer)),
    h('div', { class: 'key' }, h('p', { class: 'soft' }, 'Signs with ', h('code', {}, keys.current)),
      h('button', { type: 'button', class: 'quiet', 'data-key': 'rotate', onclick: () => press('rotateKeys') }, 'Rotate the signing key')),
  ]);
}
`;
