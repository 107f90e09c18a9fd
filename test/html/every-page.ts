import { DENIALS, denied, scopeMissing } from '../../lib/errors/denials.js';
import { ClinicianError, type ErrorDetails, type Remedy } from '../../lib/errors/errors.js';
import { errorPage, formNotSentPage } from '../../lib/html/error-pages.js';
import type { Page, PageLook } from '../../lib/html/page.js';
import {
  continuePage,
  endSessionPage,
  loggedOutPage,
  serviceLogoutPage,
  signedInAlreadyPage,
  signOutPage,
} from '../../lib/html/pages.js';
import { ENGLISH } from '../../lib/html/texts.js';
import { popupPage } from '../../lib/popup/popup.js';
import { sessionCheckPage } from '../../lib/session-check/session-check-page.js';

/** The look of a site without an own logo and style sheet. */
export const LOOK: PageLook = {
  ...{ siteName: 'Rounds', home: '/', stylesheet: '/clinician.css', texts: ENGLISH },
};

/** The remedies of an error that another try can solve. */
const REMEDIES = ['sign_in', 'retry', 'investigate'] as const;

export function errorWith(remedy: Remedy, code: ErrorDetails['code'], message: string = code): ClinicianError {
  return new ClinicianError(message, { remedy, code, status: 400 });
}

type Named = [name: string, page: Page];

/** @returns the pages that have one action, a link, with the text wherever a page takes one. */
export function everyPage(siteName: string, href: string, more: Partial<PageLook> = {}): Named[] {
  const look = { ...LOOK, siteName, ...more };
  const signedOut = { signIn: href, service: siteName };
  const failed = { signIn: href, returnTo: href, isDevelopment: false };
  const ofSignIn = (error: ClinicianError) => errorPage(look, error, { kind: 'signIn', ...failed });
  const ofRequest = (error: ClinicianError, logout?: string) =>
    errorPage({ ...look, logout }, error, { kind: 'request', ...failed });
  return [
    ['pending', ofRequest(denied('verification_pending'))],
    ['being signed out', serviceLogoutPage(look, href)],
    ['logged out', loggedOutPage(look, { ...signedOut, sessionAtService: 'unknown' })],
    ['logged out everywhere', loggedOutPage(look, { ...signedOut, sessionAtService: 'ended' })],
    ['logged out here', loggedOutPage(look, { ...signedOut, sessionAtService: 'continues' })],
    ...REMEDIES.flatMap((remedy): Named[] => [
      [`sign-in failed, ${remedy}`, ofSignIn(errorWith(remedy, siteName))],
      [`request failed, ${remedy}`, ofRequest(errorWith(remedy, siteName))],
    ]),
    ['denied by the site', ofSignIn(errorWith('tell_user', 'access_denied', siteName))],
    ['denied for the profile', ofRequest(errorWith('tell_user', 'profile_refused', siteName), href)],
  ];
}

/** @returns the pages that {@link everyPage} has not: with a form, a script, or a text of one error code. */
export function otherPages(more: Partial<PageLook> = {}): Named[] {
  const look = { ...LOOK, ...more };
  const failed = { signIn: '/auth/login', returnTo: '/', isDevelopment: false };
  const ofSignIn = (error: ClinicianError) => errorPage(look, error, { kind: 'signIn', ...failed });
  const ofRequest = (error: ClinicianError) => errorPage(look, error, { kind: 'request', ...failed });
  const origins = ['https://service.example'];
  const later = new ClinicianError('', { remedy: 'retry', code: 'rate_limited', status: 503, retryAt: 0 });
  return [
    ['signing in', continuePage(look, '/', false)],
    ['confirm', continuePage(look, '/', true)],
    ['signed in already', signedInAlreadyPage(look)],
    ['sign out', signOutPage(look, '/auth/logout')],
    ['end session', endSessionPage(look, { url: 'https://service.example/logout', fields: {}, origins })],
    ['request failed, fix_code', ofRequest(errorWith('fix_code', 'option_invalid'))],
    ['request denied', ofRequest(denied('cross_site_request'))],
    ...Object.keys(DENIALS).map((code): Named => [`denied, ${code}`, ofSignIn(denied(code as keyof typeof DENIALS))]),
    ['sign-in failed, fix_code', ofSignIn(errorWith('fix_code', 'option_invalid'))],
    ['link invalid', ofSignIn(errorWith('fix_code', 'login_link_invalid'))],
    ['ended by other user', ofSignIn(errorWith('sign_in', 'sign_in_required'))],
    ['rate limited', ofRequest(later)],
    ['form not sent', formNotSentPage(look, errorWith('sign_in', 'sign_in_required'), '/auth/login', false)],
    ['declined', ofSignIn(errorWith('tell_user', 'access_denied'))],
    ['sign-in needed', ofRequest(errorWith('sign_in', 'sign_in_required'))],
    ['scope missing', ofRequest(scopeMissing('basic'))],
    ['popup', popupPage(look, '/')],
    ['session check', sessionCheckPage({ checkSessionIframe: '', clientID: '1', texts: look.texts })],
  ];
}
