// Measures the delay of the event loop while a user with 1,500 logins is forgotten. The target is at most 50 ms.
//   npm run build && node test/bench/forget.mjs
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';

const LOGINS = Number(process.argv[2] ?? 1_500);
const SECRET = 'only for this measurement, and long enough for a key';

const provider = await startMockProvider();
let revocations = 0;

/** Responds to revocations here, so that the work of the provider is not measured. */
async function fetch(url, init) {
  if (!url.endsWith('/oauth/revoke')) return await provider.fetch(url, init);
  revocations += 1;
  await sleep(1);
  return new Response(null, { status: 200 });
}

const { clientID, clientSecret } = provider.clients.openid;
const clinician = clinicianLogin({
  ...{ issuer: provider.issuer, apiURL: provider.apiURL, clientID, clientSecret, fetch, secret: SECRET },
  callbackURL: 'http://127.0.0.1:5001/auth/callback',
  maxLoginsPerUser: 10_000,
  onSignIn: () => ({ id: 'me' }),
});
const app = express();
app.use(session({ secret: SECRET, resave: false, saveUninitialized: false }));
app.use(clinician);

for (let login = 0; login < LOGINS; login += 1) await signIn(request.agent(app), provider, { as: 'verified' });

const delay = monitorEventLoopDelay({ resolution: 1 });
await sleep(100);
delay.enable();
await sleep(100);
delay.reset();
const start = performance.now();
await clinician.forget('me');
const elapsedMs = performance.now() - start;
await sleep(10);
delay.disable();
const ms = (nanoseconds) => `${(nanoseconds / 1e6).toFixed(1)} ms`;
console.log(`${revocations} logins forgotten in ${elapsedMs.toFixed(0)} ms`);
console.log(`delay of the event loop: median ${ms(delay.percentile(50))}, longest ${ms(delay.max)}`);
await provider.stop();
