import { type HTML, html } from './escape.js';
import { linkTarget } from './link-target.js';
import { logo } from './logo.js';

/** What every page of this package is told. */
export interface PageOptions {
  /** The address of the stylesheet, on the site's own origin. Without one the page is plain, and still whole. */
  stylesheet?: string | undefined;
  /** The site's name, shown above. */
  siteName?: string | undefined;
  /** The site's front page. @default '/' */
  home?: string | undefined;
}

export interface Page extends PageOptions {
  /** The title of the document and its one heading. */
  title: string;
  body: HTML;
  /** The address of the client script, on the site's own origin, for the few pages that have something to do. */
  script?: string | undefined;
}

/** @returns a complete small document: no inline script, no inline style, readable on a phone and by a screen reader. */
export function page({ title, body, stylesheet, script, siteName, home }: Page): string {
  const fullTitle = siteName === undefined ? title : `${title} - ${siteName}`;
  const link = stylesheet !== undefined && html`<link rel="stylesheet" href="${linkTarget(stylesheet)}">`;
  const acts = script !== undefined && html`<script src="${linkTarget(script)}" defer></script>`;
  const front = html`<a class="clinician-home" href="${linkTarget(home)}">${logo(26)}<bdi>${siteName ?? 'Home'}</bdi></a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${fullTitle}</title>
${link}${acts}
</head>
<body class="clinician-page">
<header>${front}</header>
<main class="clinician-card">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.toString();
}

/** The way on as a button, and the front page as a second way; where there is no other way on, the front page is the button. */
export function actionLinks(label: string, href: string | undefined, home: string | undefined): HTML {
  if (href === undefined) return button('Back to the front page', home);
  return html`${button(label, href)}<p class="clinician-other"><a href="${linkTarget(home)}">Back to the front page</a></p>`;
}

function button(label: string, href: string | undefined): HTML {
  return html`<a class="clinician-button clinician-button-auto clinician-button-medium" href="${linkTarget(href)}"><span>${label}</span></a>`;
}

const LONGEST = 300;

/** @returns somebody else's words, cut: whoever can send twenty thousand letters does not get a page for them. */
export function truncate(text: string): string {
  const letters = [...text.slice(0, LONGEST * 2 + 2)];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}...` : text;
}
