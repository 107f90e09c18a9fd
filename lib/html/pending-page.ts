import { html } from './escape.js';
import { actionLinks, type PageOptions, page } from './page.js';

export interface PendingPageOptions extends PageOptions {
  /** The page that waits for the verification: asked for again, it opens once the person is verified. */
  checkAgain?: string | undefined;
}

/** Signed in, and not verified yet (service spec, `verified`: some go to a manual queue that can take up to three days). */
export function pendingPage(options: PendingPageOptions): string {
  const body = html`<p>You are signed in. The sign-in service is still checking that you are a clinician, and this page opens as soon as that is done.</p>
<p>For most people it takes a moment. When somebody has to look at it, it can take <strong>up to three days</strong>. You do not have to do anything, and you do not have to sign in again.</p>
${actionLinks('Check again', options.checkAgain, options.home)}`;
  return page({ ...options, title: 'Your verification is under way', body });
}
