/** Parameters of a query or a form body (application/x-www-form-urlencoded), read strictly. */
export class Parameters {
  readonly #values: Map<string, string>;
  /** The names that were sent more than once (RFC 6749 sections 3.1 and 3.2 forbid it). */
  readonly repeated: ReadonlySet<string>;
  /** True when something was not well-formed percent-encoded UTF-8, held a NUL, or was too much. */
  readonly malformed: boolean;

  constructor(values: Map<string, string>, repeated: ReadonlySet<string>, malformed: boolean) {
    this.#values = values;
    this.repeated = repeated;
    this.malformed = malformed;
  }

  /** @returns a parameter's value; one without a value counts as absent (decision 5). */
  get(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  /** @returns what was sent, the first of each name. */
  entries(): [name: string, value: string][] {
    return [...this.#values];
  }
}

/** More parameters than this are no request of anybody's. */
const MOST = 1000;

/** @returns the parameters in one or several encoded strings; a name that stands in two of them counts as repeated. */
export function parseParameters(...sources: readonly string[]): Parameters {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  const pairs = sources.flatMap((source) => source.split('&', MOST + 1)).filter((pair) => pair !== '');
  let malformed = pairs.length > MOST;
  for (const pair of pairs.slice(0, MOST)) {
    const equals = pair.indexOf('=');
    const name = formDecode(equals < 0 ? pair : pair.slice(0, equals));
    const value = formDecode(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) malformed = true;
    else if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return new Parameters(values, repeated, malformed);
}

/** @returns a form-url-decoded string, or undefined when it is not well-formed. */
export function formDecode(encoded: string): string | undefined {
  if (/[^\x20-\x7E]/.test(encoded)) return undefined;
  if (!encoded.includes('%') && !encoded.includes('+')) return encoded;
  try {
    const decoded = decodeURIComponent(encoded.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}
