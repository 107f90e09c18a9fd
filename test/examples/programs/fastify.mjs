import middie from '@fastify/middie';
import Fastify from 'fastify';
import { clinicianLogin } from 'passport-clinician';
import { port, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = Fastify();
await app.register(middie);
app.use(sessions);
app.use(clinician);

const guard = clinician.requireVerified();
const onRequest = ({ raw }, reply, done) => guard(raw, reply.raw, done);
app.get('/notes', { onRequest }, async ({ raw }) => `Notes of ${raw.user.id}`);
app.get('/', async ({ raw }, reply) => {
  reply.type('text/html');
  return raw.user ? 'Signed in' : clinician.signInButton();
});
console.log(await app.listen({ port, host: '127.0.0.1' }));
