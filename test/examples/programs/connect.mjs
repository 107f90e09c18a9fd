import connect from 'connect';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = connect();
app.use(sessions);
app.use(clinician);
app.use('/notes', clinician.requireVerified());
app.use('/notes', (req, res) => res.end(`Notes of ${clinician.user(req).id}`));
app.use((req, res) => {
  res.setHeader('Content-Type', 'text/html');
  res.end(clinician.user(req) ? 'Signed in' : clinician.signInButton());
});
app.use(clinician.errorHandler());
listen(app);
