import { hiddenFields } from './field.js';
import { html, type Markup, truncate } from './html.js';

interface VerificationPage {
  displayName: string;
  isVerified: boolean;
  /** The number of users before this one. */
  before: number;
  /** The longest remaining time; undefined when it is unknown. */
  remaining: string | undefined;
  /** The address of this page. */
  reloadAt: string;
  /** The form that continues to the application of the request, when there is one. */
  continueTo?: { action: string; hidden: Readonly<Record<string, string>>; destination: string };
}

/** Shows a user their position in the manual verification queue (service spec: profile, verified). */
export function verificationPage(page: VerificationPage): Markup {
  const { displayName, isVerified, reloadAt, continueTo } = page;
  return html`<h1>${isVerified ? 'You are verified' : 'We are checking your details'}</h1>
<p class="soft"><bdi>${truncate(displayName, 60)}</bdi></p>
<ol class="steps">
<li class="done"><strong>Details received</strong><span>They are complete.</span></li>
<li class="${isVerified ? 'done' : 'now'}"${!isVerified && html` aria-current="step"`}><strong>Manual check</strong><span>${isVerified ? 'Done.' : queueText(page)}</span></li>
<li${isVerified && html` class="done"`}><strong>Verified clinician</strong><span>${isVerified ? 'Applications see that you are verified.' : 'This needs no action from you.'}</span></li>
</ol>
${
  continueTo &&
  html`<p>${isVerified ? 'You can continue.' : 'You do not have to wait here. Until then applications see that you are not verified.'}</p>
<form method="post" action="${continueTo.action}">${hiddenFields(continueTo.hidden)}<button type="submit">Continue to <bdi>${truncate(continueTo.destination, 40)}</bdi></button></form>`
}
${!isVerified && html`<p class="other"><a href="${reloadAt}">Reload</a></p>`}`;
}

function queueText({ before, remaining }: VerificationPage): string {
  const position =
    before === 0
      ? 'You are next in the queue.'
      : `${before === 1 ? 'One user is' : `${before} users are`} before you in the queue.`;
  return remaining === undefined
    ? `${position} It takes at most three days.`
    : `${position} It takes at most ${remaining}.`;
}
