import { type CheckedRegistration, withRegistrationDefaults } from './client-registration.js';
import { EVERY_SCOPE } from './scopes.js';

/** The default clients, one for each flow. They may request every scope, and any loopback redirect URI is accepted. */
export const defaultClients: Readonly<Record<'openid' | 'profile', CheckedRegistration>> = {
  openid: createClient('openid'),
  profile: createClient('profile'),
};

function createClient(flow: 'openid' | 'profile'): CheckedRegistration {
  const registration = withRegistrationDefaults({
    flow,
    scope: EVERY_SCOPE[flow],
    clientID: `default-${flow}`,
    clientSecret: `default-${flow}-client-secret`,
    developer: 'default',
    name: 'My site',
    redirectURIs: ['http://127.0.0.1/callback'],
  });
  return { ...registration, anyLoopbackURI: true };
}
