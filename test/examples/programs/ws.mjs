import { createServer } from 'node:http';
import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { WebSocketServer } from 'ws';
import { listen, origin, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express().use(sessions, clinician);
app.get('/', (req, res) => res.send(clinician.user(req) ? clinician.signOutButton() : clinician.signInButton()));
const server = createServer(app);
const sockets = new WebSocketServer({ noServer: true });

const guard = clinician.requireLogin({ recheckAfter: 60_000 });
server.on('upgrade', (req, socket, head) => {
  const respond = (error) => {
    if (!error) return sockets.handleUpgrade(req, socket, head, (ws) => accept(ws, req));
    socket.end(`HTTP/1.1 ${error.status} ${error.code}\r\n\r\n`);
  };
  socket.on('error', () => socket.destroy());
  if (req.headers.origin !== origin) respond({ status: 403, code: 'cross_site_request' });
  else sessions(req, {}, () => clinician(req, {}, () => guard(req, {}, respond)));
});

/** Checks the login again at each message and each minute: a sign-out closes the socket. */
function accept(ws, req) {
  const check = (use) => guard(req, {}, (error) => (error ? ws.close(4000 + error.status, error.code) : use?.()));
  const timer = setInterval(check, 60_000);
  ws.on('close', () => clearInterval(timer));
  ws.on('message', (data) => check(() => ws.send(`${clinician.user(req).id}: ${data}`)));
}

listen(server);
