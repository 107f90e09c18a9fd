import type { Parameters } from '../http/parameters.js';

/** A message before it is sent. */
export interface Draft {
  to: string;
  subject: string;
  message: string;
  /** The shared URL, or an empty string. */
  url: string;
}

/** Limits the number of characters. */
const MAX_LENGTHS: Readonly<Record<keyof Draft, number>> = { to: 100, subject: 200, message: 5000, url: 2000 };

/** @returns the draft in a query or a form, shortened to {@link MAX_LENGTHS}; a URL that is not http or https is dropped. */
export function cleanDraft(parameters: Parameters): Draft {
  const text = (name: keyof Draft) =>
    [...(parameters.get(name) ?? '').slice(0, 100_000)].slice(0, MAX_LENGTHS[name]).join('');
  const line = (name: keyof Draft) => text(name).replace(/\s+/g, ' ').trim();
  const message = text('message').replaceAll('\r\n', '\n').trim();
  return { to: line('to'), subject: line('subject'), message, url: linkOf(parameters.get('url')) };
}

export function draftProblems({ to, subject, message, url }: Draft): Partial<Record<keyof Draft, string>> {
  return {
    ...(to === '' && { to: 'Enter a recipient.' }),
    ...(subject === '' && { subject: 'Enter a subject.' }),
    ...(message === '' && url === '' && { message: 'Enter a message.' }),
  };
}

function linkOf(address: string | undefined): string {
  if (address === undefined || address.length > MAX_LENGTHS.url || !/^https?:\/\//i.test(address)) return '';
  return URL.canParse(address) ? new URL(address).href : '';
}
