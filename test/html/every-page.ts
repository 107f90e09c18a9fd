import { DENIALS, denied, scopeMissing } from '../../lib/errors/denials.js';
import { ClinicianError, type ErrorDetails, type Remedy } from '../../lib/errors/errors.js';
import {
  deniedPage,
  errorPage,
  formNotSentPage,
  signedInAlreadyPage,
  signInErrorPage,
} from '../../lib/html/error-pages.js';
import type { Page, PageOptions } from '../../lib/html/page.js';
import {
  continuePage,
  endSessionPage,
  loggedOutPage,
  pendingPage,
  serviceLogoutPage,
  signOutPage,
} from '../../lib/html/pages.js';
import { popupPage } from '../../lib/popup/popup.js';
import { sessionCheckPage } from '../../lib/session-check/session-check-page.js';

/** The remedies of a sign-in that can be tried again. */
const SIGN_IN_REMEDIES = ['sign_in', 'retry', 'investigate'] as const;

export function errorWith(remedy: Remedy, code: ErrorDetails['code'], message: string = code): ClinicianError {
  return new ClinicianError(message, { remedy, code, status: 400 });
}

/** @returns the pages that have one action, a link, with the text in every option that takes one. */
export function everyPage(text: string, href: string, more: PageOptions = {}): [name: string, page: Page][] {
  const shared = { stylesheet: '/clinician.css', siteName: text, ...more };
  const options = { ...shared, login: () => href };
  return [
    ['denied', deniedPage({ ...shared, actions: [{ label: text, href }], reason: text })],
    [
      'denied, with another heading',
      deniedPage({ ...shared, actions: [{ label: text, href }], reason: text, title: text }),
    ],
    ['pending', pendingPage({ ...shared, checkAgain: href })],
    ['being signed out', serviceLogoutPage({ ...shared, next: href })],
    ['logged out', loggedOutPage({ ...shared, signInAgain: href })],
    ['logged out everywhere', loggedOutPage({ ...shared, signInAgain: href, sessionAtService: 'ended' })],
    ['logged out here', loggedOutPage({ ...shared, signInAgain: href, sessionAtService: 'continues', service: text })],
    [
      'sign-in failed, with a message',
      signInErrorPage(errorWith('sign_in', 'transaction_missing', text), options, href),
    ],
    ...SIGN_IN_REMEDIES.map((remedy): [string, Page] => [
      `sign-in failed, ${remedy}`,
      signInErrorPage(errorWith(remedy, text), options, href),
    ]),
    ['denied by the site', signInErrorPage(errorWith('tell_user', 'sign_in_refused', text), options, href)],
    [
      'denied for the profile',
      errorPage(errorWith('tell_user', 'profile_refused', text), { ...options, logout: href }, href),
    ],
    ...SIGN_IN_REMEDIES.map((remedy): [string, Page] => [
      `request failed, ${remedy}`,
      errorPage(errorWith(remedy, text), options, href),
    ]),
  ];
}

/** @returns the pages that {@link everyPage} has not: with a form, a script, or a text of one error code. */
export function otherPages(more: PageOptions = {}): [name: string, page: Page][] {
  const shared = { stylesheet: '/clinician.css', siteName: 'Rounds', ...more };
  const options = { ...shared, login: () => '/auth/login' };
  const origins = ['https://service.example'];
  const later = new ClinicianError('', { remedy: 'retry', code: 'rate_limited', status: 503, retryAt: 0 });
  return [
    ['signing in', continuePage({ ...shared, next: '/', waits: false })],
    ['confirm', continuePage({ ...shared, next: '/', waits: true })],
    ['popup', popupPage({ ...shared, returnTo: '/' })],
    ['signed in already', signedInAlreadyPage(shared)],
    ['sign out', signOutPage({ ...shared, action: '/auth/logout' })],
    ['end session', endSessionPage({ ...shared, action: 'https://service.example/logout', fields: {}, origins })],
    ['request failed, fix_code', errorPage(errorWith('fix_code', 'option_invalid'), options, '/')],
    ['request denied', errorPage(denied('cross_site_request'), options, '/')],
    ...Object.keys(DENIALS).map((code): [string, Page] => [
      `denied, ${code}`,
      signInErrorPage(denied(code as keyof typeof DENIALS), options, '/'),
    ]),
    ['sign-in failed, fix_code', signInErrorPage(errorWith('fix_code', 'option_invalid'), options, '/')],
    ['link invalid', signInErrorPage(errorWith('fix_code', 'login_link_invalid'), options, '/')],
    ['ended by other user', signInErrorPage(errorWith('sign_in', 'sign_in_required'), options, '/')],
    ['rate limited', errorPage(later, options, '/')],
    ['form not sent', formNotSentPage(errorWith('sign_in', 'sign_in_required'), options, '/auth/login')],
    ['declined', signInErrorPage(errorWith('tell_user', 'access_denied'), options, '/')],
    ['sign-in needed', errorPage(errorWith('sign_in', 'sign_in_required'), options, '/')],
    ['scope missing', errorPage(scopeMissing('basic'), options, '/')],
    ['session check', sessionCheckPage({ checkSessionIframe: '', clientID: '1', ...more })],
  ];
}
