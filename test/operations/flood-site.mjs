// A site with several instances of the sign-in behind body parsers: its process receives the flood of flood.test.ts.
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';

const { port, instances } = JSON.parse(process.env.FLOOD_SITE);
const secret = 'flood-secret-9aK2vX7pQ4mZ1cT8rW5yB3nJ6hL0';
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

const app = express();
app.get('/event-loop', (_req, res) => {
  res.json({ longestMs: delay.max / 1e6 });
  delay.reset();
});
app.use(session({ secret, resave: false, saveUninitialized: false }));
const limit = '1mb';
app.use(express.json({ limit }), express.urlencoded({ extended: false, limit }), express.raw({ type: '*/*', limit }));
const clinicians = instances.map((options) => clinicianLogin({ ...options, secret, onEvent: () => undefined }));
for (const each of clinicians) app.use(each);
// A site has cookies, too.
app.get('/me', clinicians[0].requireLogin(), (req, res) => res.cookie('preferences', 'x'.repeat(2000)).json(req.user));
createServer(app).listen(port, '127.0.0.1');
