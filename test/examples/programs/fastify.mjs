import middie from '@fastify/middie';
import Fastify from 'fastify';
import { clinicianLogin } from 'passport-clinician';
import { port, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = Fastify();
await app.register(middie);
app.use(sessions);
app.use(clinician);

const respondToError = clinician.errorHandler();
app.setErrorHandler((error, { raw }, reply) => respondToError(error, raw, reply.raw, () => reply.send(error)));

const guard = clinician.requireVerified();
const onRequest = ({ raw }, reply, done) => guard(raw, reply.raw, done);
app.get('/notes', { onRequest }, async ({ raw }) => `Notes of ${clinician.user(raw).id}`);
app.get('/profile', async ({ raw }) => `Hello ${(await clinician.api(raw).profile()).firstName}`);
app.get('/', async ({ raw }, reply) => {
  reply.type('text/html');
  return clinician.user(raw) ? 'Signed in' : clinician.signInButton();
});
console.log(await app.listen({ port, host: '127.0.0.1' }));
