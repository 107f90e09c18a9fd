import { PAGE_PATHS } from '../http/paths.js';
import type { ProviderResponse } from '../http/response.js';
import { html, type Markup } from './html.js';
import { LOGO } from './logo.js';

interface Page {
  title: string;
  body: Markup;
  /** `popup`: a small window, so without a card. */
  display?: 'page' | 'popup';
  status?: number;
  cookies?: readonly string[];
}

/**
 * Prevents pages from being stored or framed. The policy has no form-action: browsers apply it to the redirect to the
 * application after a consent, and would block it.
 */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const END_OF_PAGE = html`</main>
</body>
</html>
`;

/**
 * @param url the request of the page in the inspector, which opens in another tab so that a form is not lost
 * @returns a page with a link to its request; another response unchanged
 */
export function linkToInspector(response: ProviderResponse, url: string): ProviderResponse {
  if (!response.body.endsWith(END_OF_PAGE.text)) return response;
  const link = html`</main>
<footer><a class="button quiet" href="${url}" target="_blank" rel="noopener">Open in the inspector</a></footer>
</body>
</html>
`;
  return { ...response, body: response.body.slice(0, -END_OF_PAGE.text.length) + link.text };
}

/** Creates a response with a page. The title of an error starts with `Error`, as screen readers read it first. */
export function pageResponse({ title, body, display = 'page', status = 200, cookies }: Page): ProviderResponse {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${status >= 400 && 'Error: '}${title} - Clinician Identity</title>
<link rel="stylesheet" href="${PAGE_PATHS.style}">
<link rel="icon" href="${PAGE_PATHS.logo}" type="image/svg+xml">
</head>
<body class="${display}">
<header>${LOGO}<span>Clinician Identity</span><span class="tag">Mock</span></header>
<main>
${body}
${END_OF_PAGE}`;
  const setCookie = cookies && cookies.length > 0 ? { 'Set-Cookie': [...cookies] } : {};
  return { status, headers: { ...PAGE_HEADERS, ...setCookie }, body: document.text };
}
