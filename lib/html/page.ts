import { logo } from './buttons.js';
import { type HTML, html, linkTarget } from './escape.js';
import { type CompleteTexts, ENGLISH } from './texts.js';

/** The options that every page has. */
export interface PageOptions {
  /** The address of the stylesheet, on the site's own origin. Without one the page is plain. */
  stylesheet?: string | undefined;
  /** The site's name, shown at the top. */
  siteName?: string | undefined;
  /** The address of the site's front page. @default '/' */
  home?: string | undefined;
  /** @default the English texts */
  texts?: CompleteTexts | undefined;
}

interface Page extends PageOptions {
  /** The title of the document and its only heading. */
  title: string;
  body: HTML;
  /** The address of the client script, on the site's own origin, for a page that needs it. */
  script?: string | undefined;
  /** The address that the browser goes to at once. Not in a header, because the address may be long. */
  next?: string | undefined;
}

/** @returns a complete small document without inline script or style, for phones and screen readers too. */
export function page({ title, body, stylesheet, script, next, siteName, home, texts = ENGLISH }: Page): string {
  const fullTitle = siteName === undefined ? title : `${title} - ${siteName}`;
  const styleLink = stylesheet !== undefined && html`<link rel="stylesheet" href="${linkTarget(stylesheet)}">`;
  const scriptTag = script !== undefined && html`<script src="${linkTarget(script)}" defer></script>`;
  const refresh = next !== undefined && html`<meta http-equiv="refresh" content="0; url=${linkTarget(next)}">\n`;
  const homeLink = html`<a class="clinician-home" href="${linkTarget(home)}">${logo(26)}<bdi>${siteName ?? texts.backHome}</bdi></a>`;
  return html`<!doctype html>
<html lang="${texts.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
${refresh}<title>${fullTitle}</title>
${styleLink}${scriptTag}
</head>
<body class="clinician-page" dir="auto">
<header>${homeLink}</header>
<main class="clinician-card">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.toString();
}

/** @returns the page's action as a button, and a link to the front page. Without an action the front page is the button. */
export function actionLinks(label: string, href: string | undefined, { home, texts = ENGLISH }: PageOptions): HTML {
  const front = linkTarget(home);
  if (href === undefined) return button(texts.backHome, front);
  return html`${button(label, href)}<p class="clinician-other"><a href="${front}">${texts.backHome}</a></p>`;
}

function button(label: string, href: string): HTML {
  return html`<a class="clinician-button clinician-button-auto clinician-button-medium" href="${linkTarget(href)}"><span>${label}</span></a>`;
}

const MAX_TEXT_LENGTH = 300;

/** Shortens a text of the service or the site, so that it does not fill the page. */
export function truncate(text: string): string {
  const characters = [...text.slice(0, MAX_TEXT_LENGTH * 2 + 2)];
  return characters.length > MAX_TEXT_LENGTH ? `${characters.slice(0, MAX_TEXT_LENGTH).join('')}...` : text;
}
