import { type HTML, html } from './escape.js';
import { linkTarget } from './link-target.js';
import { logo } from './logo.js';

export interface SignInButtonHTMLOptions {
  /** Where the button leads: the route that starts the sign-in. */
  href: string;
  /** @default 'Sign in as a clinician' */
  label?: string;
  /** The page around it: `light`, `dark`, or `auto` to follow the reader's system. @default 'light' */
  theme?: 'light' | 'dark' | 'auto';
  /** @default 'medium', 48 pixels high; `small` is 44, `large` is 56 */
  size?: 'small' | 'medium' | 'large';
  /** `popup` asks the client script to open a window of its own; without the script the button is a plain link. @default 'page' */
  display?: 'page' | 'popup';
}

const THEMES: ReadonlySet<string> = new Set(['light', 'dark', 'auto']);
const SIZES: ReadonlySet<string> = new Set(['small', 'medium', 'large']);

/** @returns the sign-in button as HTML: a link, so that it works without any script; styled by the stylesheet of this package. */
export function signInButton(options: SignInButtonHTMLOptions): string {
  return signInLink(options).toString();
}

/** The same, for use inside a template. */
export function signInLink(options: SignInButtonHTMLOptions): HTML {
  const { label = 'Sign in as a clinician', display } = options;
  const theme = known(THEMES, options.theme, 'light');
  const size = known(SIZES, options.size, 'medium');
  const popup = display === 'popup' && html` data-clinician-display="popup"`;
  return html`<a class="clinician-button clinician-button-${theme} clinician-button-${size}" href="${linkTarget(options.href)}"${popup}>${logo(22)}<span>${label}</span></a>`;
}

function known(values: ReadonlySet<string>, value: string | undefined, fallback: string): string {
  return value !== undefined && values.has(value) ? value : fallback;
}
