import type { Answer } from '../answer.js';
import { html, type Markup } from './html.js';

export const STYLE_PATH = '/oauth/pages.css';

const MARK = html`<svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true"><rect width="26" height="26" rx="8" fill="currentColor"/><path d="M11 6h4v5h5v4h-5v5h-4v-5H6v-4h5z" fill="#fff"/></svg>`;

export interface Page {
  title: string;
  body: Markup;
  display?: 'page' | 'popup';
  status?: number;
  cookies?: string[];
}

/**
 * Decision 8: never stored, never framed. No form-action: browsers apply it to the redirect to the application that follows
 * a consent, and would stop it.
 */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

/** A whole page as an answer. */
export function pageAnswer({ title, body, display = 'page', status = 200, cookies = [] }: Page): Answer {
  const document = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="${STYLE_PATH}"></head>
<body class="${display}"><main><p class="brand">${MARK} Clinician Identity (mock provider)</p>${body}</main></body></html>
`;
  const setCookie = cookies.length > 0 ? { 'Set-Cookie': cookies } : {};
  return { status, headers: { ...PAGE_HEADERS, ...setCookie }, body: document.text };
}
