import type { Remedy } from '../errors.js';
import { type HTML, html } from './escape.js';
import { cut, otherWay, type PageOptions, page, wayOn } from './page.js';

export interface FailedPageOptions extends PageOptions {
  /** Where trying again starts. */
  retryHref: string;
  /** The error's stable code: shown small, for whoever is asked for help. */
  code: string;
  /** What can be done, from the error: decides the words. */
  remedy: Remedy;
}

const WORDS: Readonly<Record<Remedy, { title: string; text: string }>> = {
  sign_in: {
    title: 'Please sign in once more',
    text: 'This sign-in could not be finished. It may have taken too long, or it was started in another browser or tab. Starting again takes a moment.',
  },
  tell_user: {
    title: 'You are not signed in',
    text: 'The sign-in was refused. You can try again, or go back to the front page.',
  },
  retry: {
    title: 'The sign-in service is not answering',
    text: 'We could not reach the service that signs you in. This usually passes quickly: please try again in a moment.',
  },
  investigate: {
    title: 'We could not sign you in',
    text: 'The answer of the sign-in service was not as it should be, so to be safe we did not use it. Please try again; if it happens again, tell us the code below.',
  },
  fix_code: {
    title: 'Signing in does not work here at the moment',
    text: 'This is a problem of this site, not of yours. Please tell the people who run it the code below.',
  },
};

/** Something went wrong. Says so plainly, with the one thing to do, and no detail that would help an attacker. */
export function failedPage(options: FailedPageOptions): string {
  const { title, text } = WORDS[options.remedy];
  const body = html`<p>${text}</p>${wayOn(options.retryHref, 'Try again')}${otherWay(options.homeHref, 'Back to the front page')}${code(options.code)}`;
  return page({ ...options, title, body });
}

function code(value: string): HTML {
  return html`<p class="clinician-note">Code: <code>${cut(value)}</code></p>`;
}
