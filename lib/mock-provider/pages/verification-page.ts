import { hiddenFields } from './field.js';
import { html, type Markup, truncate } from './html.js';

interface VerificationPage {
  displayName: string;
  isVerified: boolean;
  /** The address of this page. */
  reloadAt: string;
  /** The form that continues to the application of the request, when there is one. */
  continueTo?: { action: string; hidden: Readonly<Record<string, string>>; destination: string };
}

/** Shows a user in the manual queue whether they are verified (service spec: profile, verified). */
export function verificationPage(page: VerificationPage): Markup {
  const { displayName, isVerified, reloadAt, continueTo } = page;
  return html`<h1>${isVerified ? 'You are verified' : 'We are checking your details'}</h1>
<p class="soft"><bdi>${truncate(displayName, 60)}</bdi></p>
<p>${isVerified ? 'Applications see that you are verified.' : 'A manual check takes at most three days, and needs no action from you. Until then applications see that you are not verified.'}</p>
${
  continueTo &&
  html`<p>${isVerified ? 'You can continue.' : 'You do not have to wait here.'}</p>
<form method="post" action="${continueTo.action}">${hiddenFields(continueTo.hidden)}<button type="submit">Continue to <bdi>${truncate(continueTo.destination, 40)}</bdi></button></form>`
}
${!isVerified && html`<p class="other"><a href="${reloadAt}">Reload</a></p>`}`;
}
