// Measures a guarded request without a subscriber of the tracing channels, with one, and without the guard. Each value is the time
// of the handlers only: the request and its session are objects in memory.
//   npm run build && node test/bench/guard-tracing.mjs
import { tracingChannel } from 'node:diagnostics_channel';
import express from 'express';
import session from 'express-session';
import { clinicianLogin, MemoryTokenStore } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';

const ROUNDS = 15;
const CALLS = 200_000;
const SECRET = 'only for this measurement, and long enough for a key';

const provider = await startMockProvider();
const { clientID, clientSecret } = provider.clients.openid;
const clinician = clinicianLogin({
  ...{ issuer: provider.issuer, apiURL: provider.apiURL, clientID, clientSecret, secret: SECRET },
  callbackURL: 'http://127.0.0.1:5001/auth/callback',
  tokenStore: new MemoryTokenStore(),
});
let signedIn;
const app = express();
app.use(session({ secret: SECRET, resave: false, saveUninitialized: false }));
app.use(clinician);
app.get('/', clinician.requireLogin(), (req, res) => {
  signedIn = req;
  res.send('in');
});
const agent = request.agent(app);
await signIn(agent, provider, { as: 'verified' });
await agent.get('/').expect(200);

const guard = clinician.requireLogin();
const next = () => undefined;

/** @returns nanoseconds of one call */
function measure() {
  const startedAt = process.hrtime.bigint();
  for (let call = 0; call < CALLS; call += 1) guard(signedIn, signedIn.res, next);
  return Number(process.hrtime.bigint() - startedAt) / CALLS;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const [without, subscribed] = [[], []];
const channels = tracingChannel('passport-clinician:guard');
const subscriber = { end: () => undefined };
measure();
for (let round = 0; round < ROUNDS; round += 1) {
  without.push(measure());
  channels.subscribe(subscriber);
  subscribed.push(measure());
  channels.unsubscribe(subscriber);
}
const [base, traced] = [median(without), median(subscribed)];
console.log(
  `guard without a subscriber: ${base.toFixed(0)} ns; with one: ${traced.toFixed(0)} ns, ratio ${(traced / base).toFixed(2)}`,
);
await provider.stop();
