import type { Remedy } from '../errors.js';
import { html } from './escape.js';
import { actionLinks, type PageOptions, page, truncate } from './page.js';

export interface FailedPageOptions extends PageOptions {
  /** Where signing in starts. */
  tryAgain?: string | undefined;
  /** The error's stable code: shown small, for whoever is asked for help. */
  code: string;
  /** What can be done, from the error: decides the words. @default 'retry' where `retryable`, else 'investigate' */
  remedy?: Remedy | undefined;
  retryable?: boolean | undefined;
  /** Instead of the words that go with the remedy. Never an error's own message, unless it is meant for a person. */
  message?: string | undefined;
}

interface Words {
  title: string;
  text: string;
}

const WORDS: Readonly<Record<Remedy, Words>> = {
  sign_in: {
    title: 'Please sign in once more',
    text: 'This sign-in could not be finished. It may have taken too long, or it was started in another browser. Starting again takes a moment.',
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
    text: 'Something was not right with what the sign-in service sent back, so to be safe we did not use it. Please try again. If it happens again, tell the people who run this site the code below.',
  },
  fix_code: {
    title: 'Signing in does not work here right now',
    text: 'This is a problem of this site, not of yours. Please tell the people who run it the code below.',
  },
};

/** Something went wrong. Says so plainly, with the one thing to do, and no detail that would help an attacker. */
export function failedPage(options: FailedPageOptions): string {
  const { code, remedy = options.retryable ? 'retry' : 'investigate', message, tryAgain, home } = options;
  const { title, text } = WORDS[remedy];
  const body = html`<p>${truncate(message ?? text)}</p>
${actionLinks('Try again', remedy === 'fix_code' ? undefined : tryAgain, home)}
<p class="clinician-note">Code: <code>${truncate(code)}</code></p>`;
  return page({ ...options, title, body });
}
