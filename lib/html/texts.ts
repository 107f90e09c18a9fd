import { DENIALS } from '../errors/denials.js';
import { HTML, html } from './escape.js';

/** Every text of the pages and buttons, in English. A name in braces is a placeholder, and *a part between asterisks* is emphasized. */
export const ENGLISH = {
  lang: 'en',

  // Buttons, and the frame of the session check
  sessionCheck: 'Session check',
  signIn: 'Sign in as a clinician',
  signOut: 'Sign out',
  share: 'Share with a colleague',

  // Actions of the pages
  continue: 'Continue',
  tryAgain: 'Try again',
  signInAgain: 'Sign in again',
  staySignedIn: 'Stay signed in',
  useOtherAccount: 'Use another account',
  backHome: 'Back to home',

  // The sign-in
  signingInTitle: 'You are being signed in',
  confirmSignInTitle: 'Sign in to this site?',
  confirmSignInText:
    'A link on another site has started this sign-in. Continue only if you want to sign in to this site.',
  signedInTitle: 'You are signed in',
  popupText: 'This window closes automatically. If it stays open, close it or continue here.',
  signedInAlreadyText: 'This sign-in is already finished. You can close this page or go to the front page.',

  // A clinician who is not verified yet
  pendingTitle: 'Your verification is in progress',
  pendingText:
    'You are signed in. The sign-in service is still checking that you are a clinician, which can take up to three days. You can close this page and come back later. You may then have to sign in again.',
  checkAgain: 'Check again',

  // A login that the session check has ended
  endedByOtherUserTitle: 'You are signed out',
  endedByOtherUserText:
    'Another user has signed in at the sign-in service in this browser, so this site has signed you out.',

  // The sign-out
  signOutTitle: 'Sign out?',
  signOutText: 'You will be signed out of this site. Where possible, you are also signed out of the sign-in service.',
  signingOutText: 'You are signed out of this site. The sign-in service signs you out next.',
  signedOutTitle: 'You are signed out',
  signedOutEverywhere: 'You are signed out of this site and of the sign-in service.',
  signedOutHere:
    'You are signed out of this site. *You are still signed in at the sign-in service*. To end that session too, sign out at {service}. On a shared computer, also close all windows of the browser.',
  signedOutPerhaps:
    'You are signed out of this site. You may still be signed in at the sign-in service. On a shared computer, also close the browser.',

  // Denials
  deniedTitle: 'The sign-in was not completed',
  declinedText:
    'You, or the sign-in service, did not allow this site to sign you in. If you did not intend this, try again.',
  requestDeniedTitle: 'Request denied',
  approvalText: 'Sign in again and allow this site what it needs for this page.',
  signInRefusedReason: DENIALS.sign_in_refused as string,
  profileRefusedReason: DENIALS.profile_refused as string,
  crossSiteReason: DENIALS.cross_site_request as string,
  framedReason: DENIALS.framed_sign_in as string,
  userChangedReason: DENIALS.user_changed as string,

  // Errors of a sign-in
  signInExpiredTitle: 'Please sign in again',
  signInExpiredText:
    'This sign-in could not be completed. It took too long, is already finished, or its cookie is blocked. Allow cookies for this site and start again.',

  // Errors of another request
  signInNeededTitle: 'Please sign in',
  signInNeededText: 'Sign in as a clinician to continue.',
  loginEndedTitle: 'Please sign in again',
  loginEndedText: 'Your sign-in has ended, or this page needs a recent one.',
  unavailableTitle: 'Please try again in a moment',
  unavailableText: 'A service that this site needs is unavailable. This usually passes quickly.',
  requestFailedTitle: 'This did not work',
  requestFailedText:
    'The response of the sign-in service failed a check, so this site did not use it. Please try again. If it happens again, send the code below to the people who run this site.',
  pageBrokenTitle: 'This page is not working',
  pageBrokenText:
    'This site has a problem. You did nothing wrong. Please send the code below to the people who run it.',
  formNotSentTitle: 'Your form was not sent',
  formNotSentText:
    'This site has not received what you entered, because you must sign in again. Sign in in another tab. Then come back to this tab, go back to the form and send it again.',
  backToForm: 'Back to the form',
  retryAfter: 'Try again after {time}{zone}.',
  errorCode: 'Code: {code}',
} as const;

type TextName = keyof typeof ENGLISH;

/** All texts of the pages and buttons in one language. */
export type CompleteTexts = Readonly<Record<TextName, string>>;

/** Names what has a title and a text, such as an error: `unavailable` has `unavailableTitle` and `unavailableText`. */
export type Topic = {
  [Name in TextName]: Name extends `${infer Topic}Title` ? (`${Topic}Text` extends TextName ? Topic : never) : never;
}[TextName];

const PLACEHOLDER = /\{(\w+)\}/g;

export function placeholdersOf(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string);
}

type Values = Readonly<Record<string, HTML | string | undefined>>;

/** @returns a text with its values as HTML. A text in them is escaped, and may have another direction of writing. */
export function fill(text: string, values: Values = {}): HTML {
  const fillPart = (part: string) =>
    part.split(PLACEHOLDER).map((piece, index) => (index % 2 === 0 ? piece : isolated(values[piece])));
  const parts = text.split(/\*([^*]+)\*/).map(fillPart);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<strong>${part}</strong>`))}`;
}

function isolated(value: HTML | string | undefined): HTML {
  return value instanceof HTML ? value : html`<bdi>${value}</bdi>`;
}

export function paragraph(text: string, values?: Values): HTML {
  return html`<p>${fill(text, values)}</p>`;
}
