const MAX_LENGTH = 300;
const MASK = '[masked]';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
/** The value of an Authorization header, and 20 or more characters of base64url or percent-encoding with a digit: a token or code. */
const CREDENTIAL = /(?<=\b(?:basic|bearer)\s+)[^\s,;"']+|(?=[\w~+=%-]*\d)[\w~+=%-]{20,}/gi;

/** The user name and the password in a URL. */
const USER_INFO = /(?<=:\/\/)[^\s/?#]+(?=@)/g;

const MAX_QUOTED_LENGTH = 200;

/**
 * Quotes text from elsewhere that is compared character by character, such as an issuer. It must contain no credential.
 * @returns the text as a JSON string of printable ASCII characters, cut after 200 characters
 */
export function quoteText(text: string): string {
  const cut = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}...` : text;
  return JSON.stringify(cut).replace(
    /[^\x20-\x7E]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * @param secrets the credentials of the request, which the text must not repeat: as they are, percent-encoded, in base64 or in JSON
 * @returns text from elsewhere as one line of at most 300 characters, in which everything that looks like a credential is masked;
 * undefined when it is empty or repeats a secret. It is still untrusted: escape it in HTML.
 */
export function safeText(text: unknown, secrets: readonly string[] = []): string | undefined {
  if (typeof text !== 'string' || repeats(text, secrets)) return undefined;
  const line = text
    .replace(CONTROL, ' ')
    .replace(USER_INFO, MASK)
    .trim()
    .slice(0, MAX_LENGTH)
    .replace(CREDENTIAL, MASK);
  return line === '' ? undefined : line;
}

function repeats(text: string, secrets: readonly string[]): boolean {
  const percent = percentDecoded(text);
  const base64 = [text, percent].flatMap(base64Decoded);
  const forms = [text, percent, percentDecoded(percent), ...base64, ...base64.map(percentDecoded)];
  return secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .some((secret) => forms.some((form) => form.includes(secret)));
}

function percentDecoded(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}

/** @returns what each run of base64 characters encodes. Other text may precede it directly, so each alignment is tried. */
function base64Decoded(text: string): string[] {
  const runs = text.match(/[\w+/-]{8,}/g) ?? [];
  return runs.flatMap((run) => [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString()));
}
