import { createServer } from 'node:http';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const respondToError = clinician.errorHandler();
const routes = { '/': [home], '/notes': [clinician.requireVerified(), notes] };

function home(req, res) {
  res.setHeader('Content-Type', 'text/html');
  res.end(clinician.user(req) ? 'Signed in' : clinician.signInButton());
}

function notes(req, res) {
  res.end(`Notes of ${clinician.user(req).id}`);
}

function respond(req, res) {
  const [path] = req.url.split('?', 1);
  const steps = [sessions, clinician, ...(routes[path] ?? [notFound])];
  function next(error) {
    if (error) respondToError(error, req, res, () => res.destroy());
    else steps.shift()(req, res, next);
  }
  next();
}

function notFound(_req, res) {
  res.writeHead(404).end('Not found');
}

listen(createServer(respond));
