import { html } from './escape.js';
import { actionLinks, type PageOptions, page } from './page.js';

export interface PopupPageOptions extends PageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
  /** Where the sign-in was meant to come back to: for a browser that keeps the window open. */
  returnTo?: string | undefined;
}

/** Where a sign-in in a window of its own ends: tells the page that opened it, and closes. */
export function popupPage(options: PopupPageOptions): string {
  const body = html`<div data-clinician-popup="signed-in"></div>
<p>This window closes by itself. If it stays, you can close it, or go on here.</p>
${actionLinks('Go on', options.returnTo, options.home)}`;
  return page({ ...options, title: 'You are signed in', body });
}

/** The Content-Security-Policy of {@link popupPage}. */
export const popupPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
