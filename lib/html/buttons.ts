import { ConfigurationError } from '../errors/errors.js';
import { type HTML, html, isWebAddress, linkTarget } from './escape.js';
import { ENGLISH } from './texts.js';

export interface SignInButtonHTMLOptions {
  /** The route that starts the sign-in. */
  href: string;
  /** @default text `signIn` */
  label?: string | undefined;
  /** `auto` follows `color-scheme` of the page around it, which is light if the page does not set it. @default 'auto' */
  theme?: 'light' | 'dark' | 'auto' | undefined;
  /** `outline` is for an action beside another one. @default 'solid', and 'outline' of the sign-out button */
  variant?: 'solid' | 'outline' | undefined;
  /** @default 'medium', 48 pixels high; `small` is 44, `large` is 56 */
  size?: 'small' | 'medium' | 'large' | undefined;
  /** `popup`: the client script opens the sign-in in a popup; without the script the button is a plain link. @default 'page' */
  display?: 'page' | 'popup' | undefined;
}

const THEMES: ReadonlySet<string> = new Set(['light', 'dark', 'auto']);
const SIZES: ReadonlySet<string> = new Set(['small', 'medium', 'large']);

/** @returns the classes of a button. Unknown values are replaced by the default. */
export function buttonClass(look: Pick<SignInButtonHTMLOptions, 'theme' | 'size' | 'variant'> = {}): string {
  const { theme = 'auto', size = 'medium', variant } = look;
  const names: string[] = [THEMES.has(theme) ? theme : 'auto', SIZES.has(size) ? size : 'medium'];
  if (variant === 'outline') names.push(variant);
  return ['clinician-button', ...names.map((name) => `clinician-button-${name}`)].join(' ');
}

/** For htmx and Turbo, which would fetch the page of a link or a form: the service allows no such request. */
const AS_NAVIGATION = html` hx-boost="false" data-turbo="false"`;

/** @returns the sign-in button as HTML: a link, so that it works without a script. This package's stylesheet styles it. */
export function signInButton(options: SignInButtonHTMLOptions): string {
  const { label = ENGLISH.signIn, display } = options;
  const popup = display === 'popup' && html` data-clinician-display="popup"`;
  return html`<a class="${buttonClass(options)}" href="${linkTarget(options.href)}"${AS_NAVIGATION}${popup}>${logo(22)}<span>${label}</span></a>`.toString();
}

export interface SignOutButtonHTMLOptions extends Pick<SignInButtonHTMLOptions, 'theme' | 'size' | 'variant'> {
  /** The route that signs out. */
  action: string;
  /** @default text `signOut` */
  label?: string | undefined;
}

/** @returns the sign-out button as HTML: a form with a POST, so that it works without a script, and no link signs out. */
export function signOutButton({ action, label = ENGLISH.signOut, ...look }: SignOutButtonHTMLOptions): string {
  const className = buttonClass({ variant: 'outline', ...look });
  return html`<form class="clinician-sign-out" method="post" action="${linkTarget(action)}"${AS_NAVIGATION}><button class="${className}" type="submit"><span>${label}</span></button></form>`.toString();
}

/** Draws the logo, a stethoscope. It is decoration, so screen readers skip it. */
export function logo(size: number): HTML {
  return html`<svg class="clinician-logo" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><path d="M6 3H4v6a5 5 0 0 0 10 0V3h-2"/><path d="M9 14v2a5 5 0 0 0 10 0v-3"/><circle cx="19" cy="11" r="2"/></svg>`;
}

export interface ShareButtonHTMLOptions {
  /** The resource API, the service spec's {base_url}; the inbox is below it. */
  apiURL: string;
  /** The page to share: an absolute http(s) URL; any other value is left out. */
  url?: string | undefined;
  /** The text of the new message; empty by default. */
  message?: string | undefined;
  /** The subject of the new message; empty by default. */
  subject?: string | undefined;
  /**
   * The service's script, the spec's {share_script_url}, which draws the service's own button and reads the values from data-
   * attributes. Without it this is a plain link with the values in its query.
   */
  scriptURL?: string | undefined;
  /** @default text `share` */
  label?: string | undefined;
}

/**
 * @returns the share button as HTML (service spec, "Share button markup"): a link that opens a new message in the service's
 * inbox. Each value is sent once: a data- attribute for the service's script, or a query parameter of a plain link. With a
 * script there is also a plain link for browsers that run no scripts. If that script does not load, the client script of this
 * package adds the values to the link when it is clicked.
 */
export function shareButton(options: ShareButtonHTMLOptions): string {
  const { apiURL, scriptURL, label = ENGLISH.share } = options;
  const parameters = shareParameters(options);
  const inbox = `${webAddress('apiURL', apiURL).replace(/\/+$/, '')}/inbox/conversations/new_message`;
  const link = (className: string, query: string, data: HTML[] = []) =>
    html`<a class="${className}" href="${inbox}${query}"${data} target="_blank" rel="noopener noreferrer">${label}</a>`;
  const query = queryString(parameters);
  if (scriptURL === undefined) return link('service-share-button clinician-share-button', query).toString();
  const data = parameters.map(([name, value]) => html` data-${name}="${value}"`);
  const upgraded = link('service-share-button clinician-share-button clinician-share-script', '', data);
  const fallback = html`<noscript>${link('clinician-share-button', query)}</noscript>`;
  return html`${upgraded}${fallback}<script async src="${webAddress('scriptURL', scriptURL)}"></script>`.toString();
}

type Parameter = [name: string, value: string];

function shareParameters({ url, message, subject }: ShareButtonHTMLOptions): Parameter[] {
  const parameters = Object.entries({ url: isWebAddress(url) ? url : undefined, message, subject });
  return parameters.filter((entry): entry is Parameter => entry[1] !== undefined && entry[1] !== '');
}

/** Spaces become `%20`: a server that decodes only percent-encoding would show `+` unchanged. */
function queryString(parameters: Parameter[]): string {
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters).toString().replaceAll('+', '%20')}`;
}

function webAddress(option: string, address: string): string {
  if (isWebAddress(address)) return address;
  throw new ConfigurationError('option_invalid', `shareButton(): option '${option}' must be an absolute http(s) URL.`, {
    option,
  });
}
