import { html } from './escape.js';
import { cut, type PageOptions, page, waysOn } from './page.js';

export interface DeniedPageOptions extends PageOptions {
  /** Where signing in starts. */
  tryAgain?: string | undefined;
  /** @default 'You are not signed in' */
  title?: string | undefined;
  /** Why, in the words of whoever refused. */
  reason?: string | undefined;
}

/** The person, the service or the site said no. Nothing is broken, and the way back is one press. */
export function deniedPage(options: DeniedPageOptions): string {
  const { title = 'You are not signed in', reason, tryAgain, home } = options;
  const said = reason !== undefined && html`<p class="clinician-said"><bdi>${cut(reason)}</bdi></p>`;
  const body = html`<p>Your sign-in was stopped before it was finished, so this site has not signed you in.</p>
${said}
${tryAgain !== undefined && html`<p>If that was not what you wanted, just try again.</p>`}
${waysOn('Try again', tryAgain, home)}`;
  return page({ ...options, title, body });
}
