import type { SiteResponse } from './site-agent.js';

const TELLING = ['error', 'prompt', 'scope', 'response_type'];

/** @returns an address fit for a test's output: what its parameters are called, and what only the harmless ones say. */
export function redactURL(address: URL, base?: string): string {
  const names = [...address.searchParams].map(([name, value]) => (TELLING.includes(name) ? `${name}=${value}` : name));
  const query = names.length > 0 ? `?${names.join('&')}` : '';
  return `${address.origin === base ? '' : address.origin}${address.pathname}${query}`;
}

/** @returns the first words that a person would read in an answer. */
export function visibleWords({ text = '' }: SiteResponse): string {
  const words = text
    .replace(/<(head|script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > 200 ? `${words.slice(0, 200)}...` : words;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
