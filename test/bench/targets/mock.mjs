import { importPackage } from '../package-entry.mjs';

/** Our mock provider. @param options those of startMockProvider, and the flow of the client */
export default async function start({ flow = 'openid', scope = 'openid basic', ...options }) {
  const { startMockProvider } = await importPackage('./mock-provider');
  const provider = await startMockProvider({ rateLimit: { limit: 1_000_000_000 }, ...options });
  const { issuer, apiURL } = provider;
  const { clientID, clientSecret } = provider.clients[flow];
  const info = {
    ...{ issuer, apiURL, clientID, clientSecret, scope },
    isSecretInForm: flow === 'profile',
    authorizeURL: `${issuer}/oauth/authorize`,
    tokenURL: `${issuer}/oauth/token`,
    profileURL: `${apiURL}/api/v1/users/current`,
    profileMember: '"npi"',
    discoveryURL: `${issuer}/.well-known/openid-configuration`,
  };
  return { info };
}
