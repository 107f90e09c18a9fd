import { clinicianLogin, deny } from 'passport-clinician';

// The issuer, the client id and secret, the callback URL and the secret of your site.
export const loginAt = (settings) =>
  clinicianLogin({
    ...settings,
    scope: 'openid profile groups',
    onSignIn({ identity, claims }) {
      const isClinician = Array.isArray(claims?.groups) && claims.groups.includes('clinicians');
      if (!isClinician) return deny('Only clinicians of this hospital may sign in.');
      return { id: identity.id, name: claims.name };
    },
  });
