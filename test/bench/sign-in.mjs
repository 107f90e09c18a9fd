// Measures a sign-in with signIn() from passport-clinician/testing at a site of clinicianLogin(), and the start of a second
// provider. In the same run it measures a sign-in without a site, and the start, of other providers.
//   npm run build && node test/bench/sign-in.mjs
// oauth2-mock-server is included if it is installed: npm i --no-save oauth2-mock-server@8
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn, signOut } from 'passport-clinician/testing';
import request from 'supertest';

const ROUNDS = 60;
const WARM_UP = 10;
const REDIRECT_URI = 'http://127.0.0.1:5001/auth/callback';

const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const ms = (value) => `${value.toFixed(2)} ms`;

async function timed(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function site({ issuer, apiURL, clients: { openid } }) {
  const clinician = clinicianLogin({
    issuer,
    apiURL,
    clientID: openid.clientID,
    clientSecret: openid.clientSecret,
    callbackURL: REDIRECT_URI,
    secret: 'only for this measurement, and long enough for a key',
    scope: 'openid basic',
  });
  const app = express();
  app.use(session({ secret: 'only for this measurement', resave: false, saveUninitialized: false }));
  app.use(clinician);
  return app.get('/', (_req, res) => void res.send('home'));
}

/** Signs in at a provider without a site: authorization request, its pages if it has some, token request. */
async function bareSignIn({ authorizeURL, tokenURL, clientID, clientSecret, consent }) {
  const verifier = randomBytes(32).toString('base64url');
  const cookies = new Map();
  const send = async (url, form) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    return response;
  };
  const url = new URL(authorizeURL);
  url.search = new URLSearchParams({
    client_id: clientID,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid',
    state: randomBytes(16).toString('base64url'),
    nonce: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  let target = url.href;
  let form;
  while (!target.startsWith(REDIRECT_URI)) {
    const response = await send(target, form);
    form = undefined;
    const location = response.headers.get('location');
    const page = await response.text();
    if (location) target = new URL(location, target).href;
    else [target, form] = consent(page, target);
  }
  const response = await fetch(tokenURL, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientID}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(target).searchParams.get('code'),
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    }),
  });
  const { id_token } = await response.json();
  if (!id_token) throw new Error(`no ID Token: ${response.status}`);
}

/** @returns the action of the form on a page, and its fields with a user's input */
function fillIn(page, base) {
  const [, action] = /<form[^>]* action="([^"]*)"/.exec(page) ?? [];
  const hidden = [...page.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)];
  const fields = hidden.map(([, name, value]) => [name, value]);
  return [new URL(action, base).href, { ...Object.fromEntries(fields), ...INPUT }];
}
const INPUT = { username: 'verified', login: 'verified', password: 'clinician', decision: 'approve' };

async function mockProvider() {
  const provider = await startMockProvider();
  const { clientID, clientSecret } = provider.clients.openid;
  return {
    authorizeURL: `${provider.issuer}/oauth/authorize`,
    tokenURL: `${provider.issuer}/oauth/token`,
    clientID,
    clientSecret,
    consent: fillIn,
    stop: () => provider.stop(),
  };
}

const KEY = { ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), kid: 'one' };
const SECRET = 'a-secret-that-is-long-enough-for-it';

async function oidcProvider() {
  const { default: Provider } = await import('oidc-provider');
  const issuer = new Provider('http://127.0.0.1', {
    clients: [{ client_id: 'app', client_secret: SECRET, redirect_uris: [REDIRECT_URI] }],
    jwks: { keys: [{ ...KEY, use: 'sig', alg: 'RS256' }] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    cookies: { keys: ['only for this measurement'] },
  });
  const server = issuer.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    authorizeURL: `${origin}/auth`,
    tokenURL: `${origin}/token`,
    clientID: 'app',
    clientSecret: SECRET,
    consent: fillIn,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function oauth2MockServer() {
  const { OAuth2Server } = await import('oauth2-mock-server');
  const server = new OAuth2Server();
  await server.issuer.keys.add({ ...KEY, alg: 'RS256' });
  await server.start(0, '127.0.0.1');
  const origin = server.issuer.url;
  return {
    authorizeURL: `${origin}/authorize`,
    tokenURL: `${origin}/token`,
    clientID: 'app',
    clientSecret: SECRET,
    consent: fillIn,
    stop: () => server.stop(),
  };
}

async function installed(providers) {
  const found = {};
  for (const [name, start] of Object.entries(providers)) {
    try {
      await (await start()).stop();
      found[name] = start;
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      console.log(`without ${name}, which is not installed`);
    }
  }
  return found;
}

console.warn = () => {};
const info = console.info;
console.info = () => {};
const providers = await installed({
  'mock provider': mockProvider,
  'oidc-provider': oidcProvider,
  'oauth2-mock-server': oauth2MockServer,
});
const started = Object.fromEntries(Object.keys(providers).map((name) => [name, []]));
const signedIn = Object.fromEntries(Object.keys(providers).map((name) => [name, []]));
const running = {};
for (const [name, start] of Object.entries(providers)) running[name] = await start();

const provider = await startMockProvider();
const app = site(provider);
const times = { first: [], cpu: [], again: [], out: [] };
for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
  const isMeasured = round >= WARM_UP;
  const agent = request.agent(app);
  const before = process.cpuUsage();
  const first = await timed(() => signIn(agent, provider, { as: 'verified' }));
  const { user, system } = process.cpuUsage(before);
  const out = await timed(() => signOut(agent, provider));
  const again = await timed(() => signIn(agent, provider, { as: 'verified' }));
  if (isMeasured) times.first.push(first);
  if (isMeasured) times.cpu.push((user + system) / 1000);
  if (isMeasured) times.out.push(out);
  if (isMeasured) times.again.push(again);
  for (const [name, start] of Object.entries(providers)) {
    let another;
    const startTime = await timed(async () => {
      another = await start();
    });
    await another.stop();
    const signInTime = await timed(() => bareSignIn(running[name]));
    if (isMeasured) started[name].push(startTime);
    if (isMeasured) signedIn[name].push(signInTime);
  }
}
await provider.stop();
for (const one of Object.values(running)) await one.stop();
console.info = info;

const signInMedian = median(times.first);
const start = median(started['mock provider']);
console.log(
  `signIn(agent, provider, { as }) with supertest: median ${ms(signInMedian)} (target: under 15 ms), CPU ${ms(median(times.cpu))}`,
);
console.log(`other processes slow this down: load average ${loadavg()[0].toFixed(1)} on ${cpus().length} processors`);
console.log(`signOut(agent, provider): median ${ms(median(times.out))}; signIn() after it: ${ms(median(times.again))}`);
console.log(`a second provider starts: median ${ms(start)} (target: under 5 ms)`);
const bare = median(signedIn['mock provider']);
for (const name of Object.keys(providers)) {
  const [began, took] = [median(started[name]), median(signedIn[name])];
  const ratios = `${(began / start).toFixed(1)} and ${(took / bare).toFixed(1)} times the mock provider's`;
  console.log(
    `${name}: start ${ms(began)}, sign-in without a site ${ms(took)}${name === 'mock provider' ? '' : `: ${ratios}`}`,
  );
}
process.exit(signInMedian < 15 && start < 5 ? 0 : 1);
