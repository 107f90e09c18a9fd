import { html } from './escape.js';
import { cut, otherWay, type PageOptions, page, wayOn } from './page.js';

export interface DeniedPageOptions extends PageOptions {
  /** Where trying again starts. */
  retryHref: string;
  /** @default 'You are not signed in' */
  title?: string | undefined;
  /** Why, in the site's own words, where it was the site that refused. */
  reason?: string | undefined;
  /** What the service said (`error_description`). Shown as a quotation: these are not the site's words. */
  serviceSaid?: string | undefined;
}

/** The person, or the site, said no. Nothing is broken, and the way back is one press. */
export function deniedPage(options: DeniedPageOptions): string {
  const { title = 'You are not signed in', reason, serviceSaid, retryHref, homeHref } = options;
  const why =
    reason === undefined
      ? html`<p>The sign-in was stopped, so nothing was shared with this site. You can try again whenever you like.</p>`
      : html`<p><bdi>${cut(reason)}</bdi></p>`;
  const quoted =
    serviceSaid && html`<p class="clinician-note">The sign-in service said: <q><bdi>${cut(serviceSaid)}</bdi></q></p>`;
  const body = html`${why}${quoted}${wayOn(retryHref, 'Try again')}${otherWay(homeHref, 'Back to the front page')}`;
  return page({ ...options, title, body });
}
