/** Parameters of a query or a form body (application/x-www-form-urlencoded), read strictly. */
export class Parameters {
  readonly #values: Map<string, string>;
  /** The names that were sent more than once (RFC 6749 sections 3.1 and 3.2 forbid it). */
  readonly repeated: ReadonlySet<string>;
  /** True when something was not well-formed percent-encoded UTF-8, or held a NUL. */
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

  /** @returns the names that were sent. */
  names(): Iterable<string> {
    return this.#values.keys();
  }
}

/** @returns the parameters in one or several encoded strings; a name that stands in two of them counts as repeated. */
export function parseParameters(...sources: readonly string[]): Parameters {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  let malformed = false;
  for (const pair of sources.flatMap((source) => source.split('&'))) {
    if (pair === '') continue;
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
  if (encoded.includes('\0')) return undefined;
  if (!encoded.includes('%') && !encoded.includes('+')) return encoded;
  try {
    const decoded = decodeURIComponent(encoded.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}
