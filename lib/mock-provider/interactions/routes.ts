import { documentResponse, staticDocument } from '../http/response.js';
import pageStyle from '../pages/browser/pages.css?text';
import { MARK_FILE } from '../pages/logo.js';
import { PAGE_PATHS } from '../pages/paths.js';
import type { Route } from '../server/route.js';
import { submitConsent } from './consent.js';
import { directSignIn, submitDirectSignIn } from './direct-sign-in.js';
import { loginScreen, submitLogin } from './login.js';
import { registrationScreen, submitRegistration } from './registration.js';
import { resume } from './resume.js';
import { signOutScreen, submitSignOut } from './sign-out.js';
import { submitVerification, verificationScreen } from './verification.js';

function file(type: string, text: string): Route {
  const document = staticDocument(text, {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=300',
    'X-Content-Type-Options': 'nosniff',
  });
  return { GET: (_house, { headers }) => documentResponse(document, headers['if-none-match']), head: true };
}

/** The pages of a sign-in, and what belongs to all pages. Resuming can issue a code, so it has no HEAD (decision 2). */
export const PAGE_ROUTES: readonly (readonly [string, Route])[] = [
  [PAGE_PATHS.resume, { GET: resume }],
  [PAGE_PATHS.login, { GET: loginScreen, POST: submitLogin, head: true }],
  [PAGE_PATHS.registration, { GET: registrationScreen, POST: submitRegistration, head: true }],
  [PAGE_PATHS.verification, { GET: verificationScreen, POST: submitVerification, head: true }],
  [PAGE_PATHS.consent, { POST: submitConsent }],
  [PAGE_PATHS.signIn, { GET: directSignIn, POST: submitDirectSignIn, head: true }],
  [PAGE_PATHS.signOut, { GET: signOutScreen, POST: submitSignOut, head: true }],
  [PAGE_PATHS.style, file('text/css; charset=utf-8', pageStyle)],
  [PAGE_PATHS.mark, file('image/svg+xml', MARK_FILE)],
];
