import { SYMBOL } from '../symbol.js';
import { type HTML, html, isWebAddress, linkTarget } from './escape.js';

/** The look of a button. */
export interface ButtonLook {
  /** @default text `signIn` or `signOut` */
  label?: string | undefined;
  /** `auto` follows `color-scheme` of the page around it, which is light if the page does not set it. @default 'auto' */
  theme?: 'light' | 'dark' | 'auto' | undefined;
  /** `outline` is for an action beside another one. @default 'solid', and 'outline' of the sign-out button */
  variant?: 'solid' | 'outline' | undefined;
  /** @default 'medium', 48 pixels high; `small` is 44, `large` is 56 */
  size?: 'small' | 'medium' | 'large' | undefined;
}

export function buttonClass({ theme = 'auto', size = 'medium', variant }: ButtonLook = {}): string {
  const names: string[] = [theme, size];
  if (variant === 'outline') names.push(variant);
  return ['clinician-button', ...names.map((name) => `clinician-button-${name}`)].join(' ');
}

/** For htmx and Turbo, which would fetch the page of a link or a form: the service allows no such request. */
const AS_NAVIGATION = html` hx-boost="false" data-turbo="false"`;

/** @param display for the client script @returns the sign-in button as HTML: a link, so that it works without a script. */
export function signInButton(look: ButtonLook & { label: string }, href: string, display?: string): string {
  const shown = display !== undefined && html` data-clinician-display="${display}"`;
  return html`<a class="${buttonClass(look)}" href="${linkTarget(href)}"${AS_NAVIGATION}${shown}>${logo(22)}<span>${look.label}</span></a>`.toString();
}

/** @returns the sign-out button as HTML: a form with a POST, so that it works without a script, and no link signs out. */
export function signOutButton(look: ButtonLook & { label: string }, action: string): string {
  const className = buttonClass({ variant: 'outline', ...look });
  return html`<form class="clinician-sign-out" method="post" action="${linkTarget(action)}"${AS_NAVIGATION}><button class="${className}" type="submit"><span>${look.label}</span></button></form>`.toString();
}

/** Draws the symbol. It is decoration, so screen readers skip it. */
export function logo(size: number): HTML {
  return html`<svg class="clinician-logo" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><path d="${SYMBOL}"/></svg>`;
}

/** The options of `clinician.shareButton()`. */
export interface ShareButtonOptions {
  /** The page to share: an absolute http(s) URL; any other value is left out. */
  url?: string | undefined;
  /** The text of the new message; empty by default. */
  message?: string | undefined;
  /** The subject of the new message; empty by default. */
  subject?: string | undefined;
  /** @default text `share` */
  label?: string | undefined;
}

/** {base_url} and {share_script_url} of the service spec. */
interface ShareService {
  apiURL: string;
  scriptURL?: string | undefined;
}

/**
 * @returns the share button as HTML (service spec, "Share button markup"): a link that opens a new message in the service's
 * inbox. Each value is sent once: a data- attribute for the service's script, which draws its own button, or a query parameter of a
 * plain link. With a script there is also a plain link for browsers that run no scripts. If that script does not load, the client
 * script of this package adds the values to the link when it is clicked.
 */
export function shareButton(options: ShareButtonOptions & { label: string }, service: ShareService): string {
  const { url, message, subject, label } = options;
  const parameters = Object.entries({ url: isWebAddress(url) ? url : undefined, message, subject }).filter(isSet);
  const inbox = `${service.apiURL.replace(/\/+$/, '')}/inbox/conversations/new_message`;
  const link = (className: string, query: string, data: HTML[] = []) =>
    html`<a class="${className}" href="${inbox}${query}"${data} target="_blank" rel="noopener noreferrer">${label}</a>`;
  // Spaces become `%20`: a server that decodes only percent-encoding would show `+` unchanged.
  const query = parameters.length > 0 ? `?${new URLSearchParams(parameters)}`.replaceAll('+', '%20') : '';
  if (service.scriptURL === undefined) return link('service-share-button clinician-share-button', query).toString();
  const data = parameters.map(([name, value]) => html` data-${name}="${value}"`);
  const upgraded = link('service-share-button clinician-share-button clinician-share-script', '', data);
  const fallback = html`<noscript>${link('clinician-share-button', query)}</noscript>`;
  return html`${upgraded}${fallback}<script async src="${service.scriptURL}"></script>`.toString();
}

function isSet(entry: [string, string | null | undefined]): entry is [name: string, value: string] {
  return Boolean(entry[1]);
}
