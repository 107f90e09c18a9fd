import { ConfigurationError } from '../errors.js';
import { type HTML, html } from './escape.js';
import { isWebAddress } from './link-target.js';

export interface ShareButtonHTMLOptions {
  /** The resource API, the service spec's {base_url}: the inbox is there. */
  apiURL: string;
  /** The page to share. Only a whole http(s) address is taken, any other is left out. */
  url?: string | undefined;
  message?: string | undefined;
  subject?: string | undefined;
  /** The service's script, the spec's {share_script_url}, which draws the service's own button. Without it this is a plain link. */
  scriptURL?: string | undefined;
  /** @default 'Share with a colleague' */
  label?: string | undefined;
}

/**
 * @returns the share button as HTML (service spec, "Share button markup"): a link that opens a new message in the service's
 * inbox, works without any script, and always leads to the service.
 */
export function shareButton(options: ShareButtonHTMLOptions): string {
  return shareLink(options).toString();
}

/** The same, for use inside a template. */
export function shareLink(options: ShareButtonHTMLOptions): HTML {
  const { apiURL, scriptURL, label = 'Share with a colleague' } = options;
  const shared = sharedBy(options);
  const data = shared.map(([name, value]) => html` data-${name}="${value}"`);
  const href = `${inbox(apiURL)}${query(shared)}`;
  const script = scriptURL !== undefined && html`<script async src="${checked('scriptURL', scriptURL)}"></script>`;
  return html`<a class="service-share-button clinician-share-button" href="${href}"${data} target="_blank" rel="noopener noreferrer">${label}</a>${script}`;
}

function sharedBy({ url, message, subject }: ShareButtonHTMLOptions): [name: string, value: string][] {
  const given = Object.entries({ url: isWebAddress(url) ? url : undefined, message, subject });
  return given.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
}

function inbox(apiURL: string): string {
  return `${checked('apiURL', apiURL).replace(/\/+$/, '')}/inbox/conversations/new_message`;
}

/** A space as `%20` and not as `+`: whoever decodes by the rules of URLs alone must find a space, too. */
function query(shared: [string, string][]): string {
  return shared.length === 0 ? '' : `?${new URLSearchParams(shared).toString().replaceAll('+', '%20')}`;
}

function checked(name: string, address: string): string {
  if (isWebAddress(address)) return address;
  throw new ConfigurationError('option_invalid', `shareButton(): option '${name}' must be a whole https address.`);
}
