import { html } from './escape.js';
import { actionLinks, type PageOptions, page } from './page.js';

export interface ContinuePageOptions extends PageOptions {
  /** Where the browser is on its way to; the button is for one that does not go by itself. */
  next: string;
}

/** Seen for a blink, between the service's answer and the page that was wanted. */
export function continuePage(options: ContinuePageOptions): string {
  const { next, home } = options;
  const body = html`<p>One moment, please.</p>
${actionLinks('Go on', next, home)}`;
  return page({ ...options, title: 'You are being signed in', body });
}
