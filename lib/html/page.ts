import { buttonClass, logo } from './buttons.js';
import { type HTML, html, isWebAddress, linkTarget } from './escape.js';
import type { PageScript } from './page-script.js';
import { type CompleteTexts, ENGLISH } from './texts.js';

/** A page with the Content-Security-Policy of its response. */
export interface Page {
  readonly html: string;
  readonly policy: string;
  /** True for a page with a form that posts to this site. */
  readonly hasForm?: boolean | undefined;
}

/** The options that every page has. */
export interface PageOptions {
  /** The address of this package's style sheet, on the site's own origin. Without one the page is plain. */
  stylesheet?: string | undefined;
  /** The site's own look: its name, logo and style sheet. */
  siteName?: string | undefined;
  logoURL?: string | undefined;
  siteStylesheet?: string | undefined;
  /** The address of the site's front page. @default '/' */
  home?: string | undefined;
  /** @default the English texts */
  texts?: CompleteTexts | undefined;
  /** What is shown below the contents of the page. */
  notes?: HTML | undefined;
}

interface PageContent extends PageOptions {
  /** The title of the document and its only heading. */
  title: string;
  body: HTML;
  script?: PageScript | undefined;
  /** See {@link Page}. */
  hasForm?: boolean | undefined;
  /** The address that the browser goes to at once. Not in a header, because the address may be long. */
  next?: string | undefined;
  /** The flags of a sandbox in the Content-Security-Policy. */
  sandbox?: string | undefined;
  /** Further directives of the Content-Security-Policy, and other values. */
  directives?: Readonly<Record<string, string>> | undefined;
}

/** @returns a complete small document without inline style, for phones and screen readers too. */
export function page(content: PageContent): Page {
  const { title, body, script, hasForm, next, siteName, logoURL, home, notes, texts = ENGLISH } = content;
  const fullTitle = siteName === undefined ? title : `${title} - ${siteName}`;
  const stylesheets = [content.stylesheet, content.siteStylesheet].filter((address) => address !== undefined);
  const styleLinks = stylesheets.map((address) => html`<link rel="stylesheet" href="${linkTarget(address)}">`);
  const refresh = next !== undefined && html`<meta http-equiv="refresh" content="0; url=${linkTarget(next)}">\n`;
  const siteLogo = logoURL === undefined ? logo(26) : html`<img class="clinician-site-logo" src="${logoURL}" alt="">`;
  const homeLink = html`<a class="clinician-home" href="${linkTarget(home)}">${siteLogo}<bdi>${siteName ?? texts.backHome}</bdi></a>`;
  const document = html`<!doctype html>
<html lang="${texts.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refresh}<title>${fullTitle}</title>
${styleLinks}
</head>
<body class="clinician-page" dir="auto">
<header>${homeLink}</header>
<main class="clinician-card">
<h1>${title}</h1>
${body}
${notes}
</main>
${script?.element}
</body>
</html>
`;
  return { html: document.toString(), policy: policyOf(content), hasForm };
}

/** @returns the policy: nothing but the site's own files, and its logo, style sheet and fonts if these are on another host. */
function policyOf({ script, logoURL, siteStylesheet, sandbox, directives }: PageContent): string {
  const all = {
    ...(sandbox !== undefined && { sandbox }),
    'default-src': "'none'",
    ...(script && { 'script-src': script.source }),
    'style-src': `'self'${sourceOf(siteStylesheet)}`,
    'img-src': `'self'${sourceOf(logoURL)}`,
    ...(siteStylesheet !== undefined && { 'font-src': `'self'${originOf(siteStylesheet)}` }),
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
function sourceOf(address: string | undefined): string {
  if (!isWebAddress(address)) return '';
  const { origin, pathname } = new URL(address);
  return ` ${origin}${pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`;
}

/** @returns the source expression of the host of a style sheet, for its fonts: only the style sheet names their paths. */
function originOf(address: string): string {
  return isWebAddress(address) ? ` ${new URL(address).origin}` : '';
}

/** What a user can do on a page: a link to a path of the site, or to another website. */
export interface Action {
  label: string;
  href: string;
}

/**
 * @returns the page's action as a button, and links to the others and to the front page. Without an action the front page is the
 * button.
 */
export function actionLinks(
  label: string,
  href: string | undefined,
  { home, texts = ENGLISH }: PageOptions,
  others: readonly Action[] = [],
): HTML {
  const front = { label: texts.backHome, href: linkTarget(home) };
  if (href === undefined) return button(front.label, front.href);
  const links = [...others, front].map((link) => html`<a href="${linkTarget(link.href)}">${link.label}</a> `);
  return html`${button(label, href)}<p class="clinician-other">${links}</p>`;
}

/** @returns a link that looks like a button. @param target the window that it opens in @default this one */
export function button(label: string, href: string, target?: '_blank'): HTML {
  const inWindow = target && html` target="${target}" rel="noopener"`;
  return html`<a class="${buttonClass()}" href="${linkTarget(href)}"${inWindow}><span>${label}</span></a>`;
}

const MAX_TEXT_LENGTH = 300;

/** Shortens a text of the service or the site, so that it does not fill the page. */
export function truncate(text: string): string {
  const characters = [...text.slice(0, MAX_TEXT_LENGTH * 2 + 2)];
  return characters.length > MAX_TEXT_LENGTH ? `${characters.slice(0, MAX_TEXT_LENGTH).join('')}...` : text;
}

/** @returns the button of a form, as its main action. */
export function submitButton(label: HTML | string): HTML {
  return html`<button class="${buttonClass()}" type="submit"><span>${label}</span></button>`;
}
