// Takes the screenshot of the inspector in the README: two logins, one of them refused.
//   npm run build && npm run docs:screenshot -- [FILE]
import { createHash, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { chromium } from 'playwright-core';
import { findRequirements } from './requirements.mjs';

const file = process.argv[2] ?? fileURLToPath(new URL('../docs/images/inspector.png', import.meta.url));
const callback = 'http://127.0.0.1:3000/auth/callback';
const random = () => randomBytes(32).toString('base64url');

const provider = await startMockProvider({
  clients: [
    {
      clientID: 'notes-app',
      clientSecret: 's3cret',
      flow: 'openid',
      scope: 'openid basic',
      redirectURIs: [callback],
    },
  ],
});
const { issuer } = provider;

function authorizeURL(verifier) {
  const query = new URLSearchParams({
    client_id: 'notes-app',
    response_type: 'code',
    redirect_uri: callback,
    scope: 'openid basic',
    state: random(),
    nonce: random(),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `${issuer}/oauth/authorize?${query}`;
}

/** Sends the token request of the site; without a verifier it is refused. */
function redeem(responseURL, code_verifier) {
  const code = new URL(responseURL).searchParams.get('code');
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    ...(code_verifier && { code_verifier }),
  });
  const authorization = `Basic ${Buffer.from('notes-app:s3cret').toString('base64')}`;
  return fetch(`${issuer}/oauth/token`, { method: 'POST', headers: { authorization }, body });
}

await fetch(`${issuer}/.well-known/openid-configuration`);
const verifier = random();
const callbackURL = await provider.signIn(authorizeURL(verifier), { as: 'verified' });
const { access_token } = await (await redeem(callbackURL, verifier)).json();
await fetch(`${issuer}/api/v1/users/current`, { headers: { authorization: `Bearer ${access_token}` } });
provider.clock.advance('2 minutes');
await redeem(await provider.signIn(authorizeURL(random()), { as: 'pending' }));
provider.faults.next('badSignature');

const { CHROMIUM } = findRequirements(fileURLToPath(new URL('..', import.meta.url))).env;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--headless', '--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1240, height: 1190 }, colorScheme: 'light' });
  await page.goto(issuer);
  await page.locator('article').first().waitFor();
  await page.screenshot({ path: file });
} finally {
  await browser.close();
  await provider.stop();
}
