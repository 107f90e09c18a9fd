import { clinicianLogin, deny } from 'passport-clinician';

// The issuer, the client id and secret, the callback URL and the secret of your site.
export const loginAt = (settings) =>
  clinicianLogin({
    ...settings,
    scope: 'openid profile groups',
    onSignIn({ identity, claims: { groups, name } }) {
      const isClinician = Array.isArray(groups) && groups.includes('clinicians');
      return isClinician ? { id: identity.id, name } : deny('Only clinicians of this hospital may sign in.');
    },
  });
