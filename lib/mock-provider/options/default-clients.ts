import { type CheckedRegistration, checkRegistration } from './client-registration.js';
import { EVERY_SCOPE } from './scopes.js';

/** Two clients ready to use, one for each flow: every scope allowed, any loopback redirect URI accepted. */
export const defaultClients: Readonly<Record<'openid' | 'profile', CheckedRegistration>> = {
  openid: make('openid'),
  profile: make('profile'),
};

function make(flow: 'openid' | 'profile'): CheckedRegistration {
  const registration = checkRegistration({
    flow,
    scope: EVERY_SCOPE[flow],
    clientID: `ready-made-${flow}`,
    clientSecret: `ready-made-${flow}-secret`,
    name: 'Your application',
    developer: 'ready-made',
    redirectURIs: ['http://127.0.0.1/callback'],
  });
  return { ...registration, anyLoopbackURI: true };
}
