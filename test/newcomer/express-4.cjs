const express = require('express'); // version 4
const session = require('express-session');
const { clinicianLogin } = require('passport-clinician');

const clinician = clinicianLogin.fromEnv();
const app = express();
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }));
app.use(clinician);
app.get('/', (req, res) => res.send(req.clinician.isAuthenticated ? 'Signed in' : clinician.signInButton()));
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('For verified clinicians only'));
app.get('/profile', (req, res, next) => {
  const profile = clinician.api(req).profile();
  profile.then(({ firstName }) => res.send(`Hello ${firstName}`)).catch(next);
});
app.use(clinician.errorHandler()); // after the routes
app.listen(3000, '127.0.0.1', () => console.log('http://127.0.0.1:3000'));
