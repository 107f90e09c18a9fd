import { createHash } from 'node:crypto';
import script from './browser/pages.js?text';
import styles from './browser/styles.css?text';
import { type ButtonLook, buttonClass, logo } from './buttons.js';
import { HTML, html, isWebAddress, linkTarget } from './escape.js';
import type { CompleteTexts } from './texts.js';

/** A page with the Content-Security-Policy of its response. */
export interface Page {
  readonly html: string;
  readonly policy: string;
  /** True for a page with a form that posts to this site. */
  readonly hasForm?: boolean | undefined;
}

/** The look of this package's pages: data that every page has. @internal */
export interface PageLook {
  readonly siteName: string;
  readonly logoURL?: string | undefined;
  readonly siteStylesheet?: string | undefined;
  readonly texts: CompleteTexts;
  /** The path of the site's front page. */
  readonly home: string;
  /** The path of the page that signs out; undefined if the site mounts no logout route. */
  readonly logout?: string | undefined;
  /** The inspector of a mock provider; undefined outside of development, and for another service. */
  readonly inspector?: string | undefined;
  /** The path of this package's style sheet; undefined if the site does not mount it: it is then part of each page. */
  readonly stylesheet?: string | undefined;
}

/** A link to a path of the site, or to another website. */
export interface Action {
  label: string;
  href: string;
}

interface PageContent {
  /** The title of the document and its only heading. */
  title: string;
  body: HTML;
  /** The first is the button, which is the front page if there is none. @default no button and no links */
  actions?: readonly Action[] | undefined;
  notes?: HTML | undefined;
  script?: Embedded | undefined;
  hasForm?: boolean | undefined;
  /** The address that the browser goes to at once. Not in a header, because the address may be long. */
  next?: string | undefined;
  /** The flags of a sandbox in the Content-Security-Policy. */
  sandbox?: string | undefined;
  /** Further directives of the Content-Security-Policy, and other values. */
  directives?: Readonly<Record<string, string>> | undefined;
}

/** A script or a style sheet in a page. At a URL, HTML of a user could load the script in a page of the site. */
export interface Embedded {
  readonly element: HTML;
  /** Its source expression in a Content-Security-Policy. */
  readonly source: string;
}

export function embed(tag: 'script' | 'style', text: string): Embedded {
  const digest = createHash('sha256').update(text).digest('base64');
  return { element: new HTML(`<${tag}>${text}</${tag}>`), source: `'sha256-${digest}'` };
}

/** The script of the pages with a form that is sent at once, a time, or a link back. */
export const PAGE_SCRIPT: Embedded = embed('script', script);
const STYLE = embed('style', styles);

/** @returns a complete small document, for phones and screen readers too. */
export function page(look: PageLook, content: PageContent): Page {
  const { siteName, logoURL, home, texts } = look;
  const { title, next } = content;
  const stylesheets = [look.stylesheet, look.siteStylesheet].filter((address) => address !== undefined);
  const styleLinks = stylesheets.map((address) => html`<link rel="stylesheet" href="${linkTarget(address)}">`);
  const refresh = next !== undefined && html`<meta http-equiv="refresh" content="0; url=${linkTarget(next)}">\n`;
  const siteLogo = logoURL === undefined ? logo(28) : html`<img class="clinician-site-logo" src="${logoURL}" alt="">`;
  const document = html`<!doctype html>
<html lang="${texts.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refresh}<title>${title} - ${siteName}</title>
${look.stylesheet === undefined && STYLE.element}${styleLinks}
</head>
<body class="clinician-page" dir="auto">
<header><a class="clinician-home" href="${linkTarget(home)}">${siteLogo}<bdi>${siteName}</bdi></a></header>
<main class="clinician-card">
<h1>${title}</h1>
${content.body}
${content.actions && actionLinks(content.actions, look)}
${content.notes}
</main>
${content.script?.element}
</body>
</html>
`;
  return { html: document.toString(), policy: policyOf(look, content), hasForm: content.hasForm };
}

/** @returns the policy: nothing but the site's own files, and its logo, style sheet and fonts if these are on another host. */
function policyOf(
  { logoURL, stylesheet, siteStylesheet }: PageLook,
  { script, sandbox, directives }: PageContent,
): string {
  const all = {
    ...(sandbox !== undefined && { sandbox }),
    'default-src': "'none'",
    ...(script && { 'script-src': script.source }),
    'style-src': `'self'${stylesheet === undefined ? ` ${STYLE.source}` : ''}${sourceOf(siteStylesheet)}`,
    'img-src': `'self'${sourceOf(logoURL)}`,
    // Only the style sheet names the paths of its fonts.
    ...(siteStylesheet !== undefined && { 'font-src': `'self'${sourceOf(siteStylesheet, '')}` }),
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    ...directives,
  };
  return Object.entries(all)
    .map((directive) => directive.join(' '))
    .join('; ');
}

/** @returns the source expression of a URL on another host: without its query, and without the separators of a policy. */
function sourceOf(address: string | undefined, path?: string): string {
  if (!isWebAddress(address)) return '';
  const { origin, pathname } = new URL(address);
  return ` ${origin}${path ?? pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`;
}

/** @returns the first action as a button, and links to the others and to the front page. */
function actionLinks(actions: readonly Action[], { home, texts }: PageLook): HTML {
  const front = { label: texts.backHome, href: home };
  const [first = front, ...others] = actions;
  const links = [...others, ...(first === front ? [] : [front])].map(
    (link) => html`<a href="${linkTarget(link.href)}">${link.label}</a> `,
  );
  return html`${button(first.label, first.href)}${links.length > 0 && html`<p class="clinician-other">${links}</p>`}`;
}

/** @returns a link that looks like a button. @param target the window that it opens in @default this one */
export function button(label: string, href: string, look: ButtonLook & { target?: '_blank' } = {}): HTML {
  const inWindow = look.target && html` target="${look.target}" rel="noopener"`;
  return html`<a class="${buttonClass(look)}" href="${linkTarget(href)}"${inWindow}><span>${label}</span></a>`;
}

export function submitButton(label: string): HTML {
  return html`<button class="${buttonClass()}" type="submit"><span>${label}</span></button>`;
}
