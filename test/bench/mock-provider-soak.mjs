// Runs many logins, refreshes and revocations in one process, over HTTP. The memory must be free again after everything has
// expired, and the last thousand logins must be as fast as the first.
//   npm run build && node --expose-gc test/bench/mock-provider-soak.mjs [logins]
import { Agent, request } from 'node:http';
import { importPackage } from './package-entry.mjs';

const { startMockProvider } = await importPackage('./mock-provider');

const LOGINS = Number(process.argv[2] ?? 100_000);
const WARM_UP = 4000;
const CONCURRENCY = 8;
const REDIRECT_URI = 'http://127.0.0.1:5001/callback';

const provider = await startMockProvider({ rateLimit: { limit: 1_000_000_000 } });
const { hostname, port } = new URL(provider.issuer);
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
const { clientID, clientSecret } = provider.clients.profile;
const authorizeURL = `${provider.issuer}/oauth/authorize?${new URLSearchParams({
  client_id: clientID,
  response_type: 'code',
  redirect_uri: REDIRECT_URI,
  state: 'soak',
})}`;
/** The profile flow has its client secret in the form. */
const credentials = { client_id: clientID, client_secret: clientSecret };

function send(path, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, path, method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function post(path, fields, headers = {}) {
  const body = new URLSearchParams(fields).toString();
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) };
  return send(path, { method: 'POST', headers: { ...form, ...headers }, body });
}

/** Signs in and approves on the pages. @returns the cookies, with which later logins are silent */
async function signInOnce() {
  const cookies = new Map();
  let response = await page(new URL(authorizeURL), cookies);
  for (let step = 0; step < 10; step += 1) {
    if (response.location?.startsWith(REDIRECT_URI)) return [...cookies].map((pair) => pair.join('=')).join('; ');
    if (response.location !== undefined) response = await page(new URL(response.location, provider.issuer), cookies);
    else response = await page(...filledIn(response.text), cookies);
  }
  throw new Error('The sign-in did not end at the redirect URI.');
}

async function page(url, ...rest) {
  const cookies = rest.at(-1);
  const fields = rest.length > 1 ? rest[0] : undefined;
  const headers = { accept: 'text/html', cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
  const path = url.pathname + url.search;
  const response = fields ? await post(path, fields, headers) : await send(path, { headers });
  for (const line of response.headers['set-cookie'] ?? []) {
    const [, name, value] = /^([^=]*)=([^;]*)/.exec(line);
    cookies.set(name, value);
  }
  return { text: response.text, location: response.headers.location };
}

function filledIn(text) {
  const [, action] = /<form method="post" action="([^"]*)">/.exec(text);
  const fields = { username: 'verified', password: 'clinician', decision: 'approve' };
  for (const [, name, value] of text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g))
    fields[name] = value;
  return [new URL(action, provider.issuer), fields];
}

let cookie = await signInOnce();
const silent = new URL(`${authorizeURL}&prompt=none`);

/** One login and one refresh; every second login also has a revocation. */
async function runLogin(index) {
  const redirect = await send(silent.pathname + silent.search, { headers: { cookie } });
  const code = new URL(redirect.headers.location).searchParams.get('code');
  const redeemed = await post('/oauth/token', {
    ...credentials,
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
  });
  const first = JSON.parse(redeemed.text);
  const refreshed = await post('/oauth/token', {
    ...credentials,
    grant_type: 'refresh_token',
    refresh_token: first.refresh_token,
  });
  const { access_token } = JSON.parse(refreshed.text);
  if (access_token === undefined) throw new Error(`no refresh in login ${index}: ${refreshed.text}`);
  if (index % 2 === 0) await post('/oauth/revoke', { ...credentials, token: access_token });
}

async function runLogins(count) {
  let started = 0;
  const { user, system } = process.cpuUsage();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (started < count) {
        started += 1;
        await runLogin(started);
      }
    }),
  );
  const used = process.cpuUsage();
  return (used.user + used.system - user - system) / 1000;
}

/** The CPU time of a thousand logins in milliseconds, client included: the median of five runs. */
async function cpuOfThousand() {
  const times = [];
  for (let i = 0; i < 5; i += 1) times.push(await runLogins(1000));
  return times.sort((a, b) => a - b)[2];
}

function heap() {
  for (let i = 0; i < 4; i += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const perThousand = (milliseconds) => `${milliseconds.toFixed(0)} ms of CPU for a thousand`;

await runLogins(WARM_UP);
provider.clock.advance('31 days');
cookie = await signInOnce();
const before = heap();
const first = await cpuOfThousand();
const start = performance.now();
await runLogins(LOGINS - 10_000);
const seconds = (performance.now() - start) / 1000;
const full = heap();
const last = await cpuOfThousand();
provider.clock.advance('31 days');
const after = heap();
console.log(
  `logins, each with a refresh, every second with a revocation: ${LOGINS} (${((LOGINS - 10_000) / seconds).toFixed(0)} a second)`,
);
console.log(`the first: ${perThousand(first)}; the last: ${perThousand(last)} (${(last / first).toFixed(2)} times)`);
const perPair = (full - before) / ((LOGINS - 5000) / 2);
console.log(
  `heap: ${megabytes(before)} before, ${megabytes(full)} full (${perPair.toFixed(0)} bytes for each active pair), ${megabytes(after)} after (${(after / before).toFixed(3)} times)`,
);
const isWithinLimits = after / before < 1.1 && last / first < 1.25;
console.log(isWithinLimits ? 'within the limits' : 'OVER the limits');
agent.destroy();
await provider.stop();
process.exitCode = isWithinLimits ? 0 : 1;
