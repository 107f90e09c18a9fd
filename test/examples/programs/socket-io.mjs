import { createServer } from 'node:http';
import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { Server } from 'socket.io';
import { listen, origin, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express().use(sessions, clinician);
app.get('/', (req, res) => res.send(clinician.user(req) ? clinician.signOutButton() : clinician.signInButton()));
const server = createServer(app);
const isOwnPage = ({ headers }) => headers.origin === undefined || headers.origin === origin;
const io = new Server(server, { allowRequest: (req, done) => done(null, isOwnPage(req)) });

const guard = clinician.requireLogin({ recheckAfter: 60_000 });
for (const middleware of [sessions, clinician, guard]) io.engine.use(middleware);

/** Checks the login again at each message and each minute: a sign-out disconnects the socket. */
io.on('connection', (socket) => {
  const { request } = socket;
  const check = (use) => guard(request, {}, (error) => (error ? socket.disconnect(true) : use?.()));
  const timer = setInterval(check, 60_000);
  socket.on('disconnect', () => clearInterval(timer));
  socket.use((_message, next) => check(next));
  socket.on('note', (text, reply) => reply(`${clinician.user(request).id}: ${text}`));
});

listen(server);
