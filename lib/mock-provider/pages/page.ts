import { PAGE_PATHS } from '../http/paths.js';
import type { ProviderResponse } from '../http/response.js';
import { html, type Markup } from './html.js';
import { LOGO } from './logo.js';

interface Page {
  title: string;
  body: Markup;
  /** `popup`: a small window, so without a card. */
  display?: 'page' | 'popup';
  /** `wide` for a page without a form. */
  width?: 'narrow' | 'wide';
  status?: number;
  cookies?: readonly string[];
}

/**
 * Prevents that pages are stored or framed. The policy has no form-action: browsers apply it to the redirect to the application
 * after a consent, and would block it.
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

/** Creates a response with a page. The title of an error starts with `Error`, as screen readers read it first. */
export function pageResponse({
  title,
  body,
  display = 'page',
  width = 'narrow',
  status = 200,
  cookies,
}: Page): ProviderResponse {
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
<body class="${display} ${width}">
<header>${LOGO}<span>Clinician Identity</span><span class="tag">Mock</span></header>
<main>
${body}
</main>
</body>
</html>
`;
  const setCookie = cookies && cookies.length > 0 ? { 'Set-Cookie': [...cookies] } : {};
  return { status, headers: { ...PAGE_HEADERS, ...setCookie }, body: document.text };
}
