const MAX_LENGTH = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/**
 * @param secrets the secret parameters of the request
 * @returns text from the service as one line of at most 300 characters; undefined when it repeats a secret. It is still
 * untrusted: escape it in HTML.
 */
export function sanitizeText(text: unknown, secrets: readonly string[] = []): string | undefined {
  if (typeof text !== 'string') return undefined;
  const line = text.replace(CONTROL, ' ').trim().slice(0, MAX_LENGTH);
  return line === '' || secrets.some((secret) => secret !== '' && text.includes(secret)) ? undefined : line;
}

/** @returns an https URL from the service, sanitized as {@link sanitizeText} does. */
export function sanitizeURL(text: unknown, secrets: readonly string[] = []): string | undefined {
  const address = sanitizeText(text, secrets);
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'https:' ? url.href : undefined;
}
