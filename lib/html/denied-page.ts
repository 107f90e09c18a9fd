import { type HTML, html } from './escape.js';
import { actionLinks, type PageOptions, page, truncate } from './page.js';

export interface DeniedPageOptions extends PageOptions {
  /** Where signing in starts. */
  tryAgain?: string | undefined;
  /** Another heading than `'You are not signed in'`, where it was not a sign-in that was refused: the reason alone explains it. */
  title?: string | undefined;
  /** Why, in the words of whoever refused. */
  reason?: string | undefined;
}

/** The person, the service or the site said no. Nothing is broken, and the way back is one press. */
export function deniedPage(options: DeniedPageOptions): string {
  const { title, reason, tryAgain, home } = options;
  const body = html`${title === undefined ? signInStopped(reason, tryAgain) : said(reason)}
${actionLinks('Try again', tryAgain, home)}`;
  return page({ ...options, title: title ?? 'You are not signed in', body });
}

function signInStopped(reason: string | undefined, tryAgain: string | undefined): HTML {
  return html`<p>Your sign-in was stopped before it was finished, so you are not signed in here.</p>
${reason !== undefined && html`<p class="clinician-note">The reason that we were given:</p>`}
${said(reason, 'clinician-said')}
${tryAgain !== undefined && html`<p>If that was not what you wanted, just try again.</p>`}`;
}

function said(reason: string | undefined, look?: string): HTML | undefined {
  if (reason === undefined) return undefined;
  return html`<p${look !== undefined && html` class="${look}"`}><bdi>${truncate(reason)}</bdi></p>`;
}
