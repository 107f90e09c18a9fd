import express from 'express';
import session from 'express-session';
import { clinicianLogin, deny } from 'passport-clinician';

const clinician = clinicianLogin.fromEnv({
  // pages: { siteName: 'Example Hospital', logoURL: '/logo.svg', stylesheet: '/brand.css' },
  profileRequired: true,
  onSignIn: ({ identity, profile }) =>
    profile?.specialty ? { id: identity.id } : deny('Your profile needs a specialty.', { label: 'Help', url: '/' }),
});
const broken = () => {
  throw new Error('A mistake of this site.');
};
const app = express();
// app.use(express.static('public')); // for /logo.svg and /brand.css
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }));
app.use(clinician);
app.get('/', (req, res) => {
  const button = req.user ? clinician.signOutButton() : clinician.signInButton();
  res.send(`<link rel="stylesheet" href="${clinician.stylesheetURL}">${button}
    <form method="post" action="/notes"><button>Save a note</button></form>`);
});
app.use('/notes', clinician.requireVerified(), (_req, res) => res.send('Notes'));
app.get('/profile', clinician.requireLogin(), async (req, res) => res.json(await clinician.api(req).profile()));
app.get(
  '/refused',
  clinician.requireProfile(() => false),
  (_req, res) => res.send('Never'),
);
app.get('/broken', clinician.requireProfile(broken), (_req, res) => res.send('Never'));
app.use(clinician.errorHandler());
app.listen(3000, '127.0.0.1', () => console.log(process.env.APP_URL));
