import type { SiteResponse } from './site-agent.js';

/** Parameters whose values are not secret. */
const SHOWN_PARAMETERS = ['error', 'prompt', 'scope', 'response_type'];
const MAX_TEXT_LENGTH = 200;

/** @returns a URL for a test's output: the names of its parameters, with the values of the harmless ones only. */
export function redactURL(url: URL, base?: string): string {
  const parameters = [...url.searchParams].map(([name, value]) =>
    SHOWN_PARAMETERS.includes(name) ? `${name}=${value}` : name,
  );
  const query = parameters.length > 0 ? `?${parameters.join('&')}` : '';
  return `${url.origin === base ? '' : url.origin}${url.pathname}${query}`;
}

/** @returns the first 200 characters of the text that a page shows. */
export function visibleText({ text = '' }: SiteResponse): string {
  const visible = text
    .replace(/<(head|script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return visible.length > MAX_TEXT_LENGTH ? `${visible.slice(0, MAX_TEXT_LENGTH)}...` : visible;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
