import type { ProviderResponse } from '../http/response.js';
import { html, type Markup } from './html.js';
import { MARK } from './logo.js';
import { PAGE_PATHS } from './paths.js';

export interface Page {
  title: string;
  body: Markup;
  /** `popup`: a small window of its own, so no card and nothing that can wait. */
  display?: 'page' | 'popup';
  /** `wide` for a page that is read rather than filled in. */
  width?: 'narrow' | 'wide';
  status?: number;
  cookies?: readonly string[];
}

/**
 * Decision 8: never stored, never framed. No form-action: browsers apply it to the redirect to the application that follows
 * a consent, and would stop it.
 */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

/** A whole page as an answer. One that refuses says so in its title, which a screen reader says first. */
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
<link rel="icon" href="${PAGE_PATHS.mark}" type="image/svg+xml">
</head>
<body class="${display} ${width}">
<header>${MARK}<span>Clinician Identity</span><span class="tag">Mock</span></header>
<main>
${body}
</main>
</body>
</html>
`;
  const setCookie = cookies && cookies.length > 0 ? { 'Set-Cookie': [...cookies] } : {};
  return { status, headers: { ...PAGE_HEADERS, ...setCookie }, body: document.text };
}
