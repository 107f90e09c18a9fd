import { serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { clinicianLogin } from 'passport-clinician';
import { origin, port, sessions, settings } from './settings.mjs';

/** Runs middleware of Express in Hono. If it responds, the rest does not run. */
const use = (middleware) => (c, next) =>
  new Promise((resolve, reject) => {
    const { incoming, outgoing } = c.env;
    outgoing.once('close', () => resolve(RESPONSE_ALREADY_SENT));
    middleware(incoming, outgoing, (error) => (error ? reject(error) : resolve(next())));
  });

const clinician = clinicianLogin(settings);
const app = new Hono();
app.use(use(sessions), use(clinician));
app.get('/', (c) => c.html(clinician.user(c.env.incoming) ? 'Signed in' : clinician.signInButton()));
app.get('/notes', use(clinician.requireVerified()), (c) => c.text(`Notes of ${clinician.user(c.env.incoming).id}`));
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => console.log(origin));
