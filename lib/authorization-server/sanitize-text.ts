const LONGEST = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/**
 * Words of the service, fit for a sentence of ours: one line, not long, and dropped whole when they repeat a secret
 * that was sent with the request. Still text from outside: whoever shows it escapes it.
 */
export function sanitizeText(words: unknown, secrets: readonly string[] = []): string | undefined {
  if (typeof words !== 'string') return undefined;
  const line = words.replace(CONTROL, ' ').trim().slice(0, LONGEST);
  return line === '' || secrets.some((secret) => secret !== '' && words.includes(secret)) ? undefined : line;
}

/** @returns an https address of the service's, under the same terms. */
export function sanitizeURL(address: unknown, secrets: readonly string[] = []): string | undefined {
  const words = sanitizeText(address, secrets);
  return words !== undefined && URL.canParse(words) && new URL(words).protocol === 'https:'
    ? new URL(words).href
    : undefined;
}
