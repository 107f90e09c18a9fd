import { freePort } from './free-port.mjs';
import { SECRET } from './key.mjs';
import { siteInfo } from './site.mjs';

/** The reference site, as `npm start` runs it, with sessions and tokens in Redis. */
export default async function start({ provider, redis, publicOrigin }) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  Object.assign(process.env, {
    PORT: String(port),
    APP_URL: publicOrigin ?? origin,
    SESSION_SECRET: SECRET,
    REDIS_URL: redis.url,
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_CLIENT_ID: provider.clientID,
    CLINICIAN_CLIENT_SECRET: provider.clientSecret,
  });
  await import('../../../example-app/build/main.js');
  if (process.exitCode) throw new Error('The reference site does not start.');
  const info = siteInfo(origin, { login: '/auth/login', callback: '/auth/callback', provider });
  return { info: { ...info, guardedURL: `${origin}/api/me`, guardedText: '"isAuthenticated":true' } };
}
