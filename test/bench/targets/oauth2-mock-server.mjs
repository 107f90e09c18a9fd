import { createKey, SECRET } from './key.mjs';

/** oauth2-mock-server. */
export default async function start() {
  const { OAuth2Server } = await import('oauth2-mock-server');
  const server = new OAuth2Server();
  await server.issuer.keys.add({ ...createKey().export({ format: 'jwk' }), kid: 'one', alg: 'RS256' });
  await server.start(0, '127.0.0.1');
  const issuer = server.issuer.url;
  const info = {
    ...{ issuer, clientID: 'app', clientSecret: SECRET, scope: 'openid' },
    authorizeURL: `${issuer}/authorize`,
    tokenURL: `${issuer}/token`,
    discoveryURL: `${issuer}/.well-known/openid-configuration`,
  };
  return { info };
}
