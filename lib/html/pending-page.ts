import { html } from './escape.js';
import { otherWay, type PageOptions, page, wayOn } from './page.js';

export interface PendingPageOptions extends PageOptions {
  /** The page that waits for the verification: asked for again, it opens once the person is verified. */
  checkAgainHref: string;
}

/** Signed in, and not verified yet (service spec, `verified`: some go to a manual queue that can take up to three days). */
export function pendingPage(options: PendingPageOptions): string {
  const body = html`<p>You are signed in, and the sign-in service is still checking that you are a clinician. For most people that is done at once; when somebody has to look at it, it can take <strong>up to three days</strong>.</p>
<p>You need not do anything, and you need not sign in again: this page opens as soon as the check is done.</p>
${wayOn(options.checkAgainHref, 'Check again')}${otherWay(options.homeHref, 'Back to the front page')}`;
  return page({ ...options, title: 'Your verification is under way', body });
}
