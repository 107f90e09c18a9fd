/** The parameters of a query or a form body (application/x-www-form-urlencoded). */
export class Parameters {
  /** The first value of each name. */
  readonly values: ReadonlyMap<string, string>;
  /** The names that were sent more than once. */
  readonly repeated: ReadonlySet<string>;
  /** True for invalid percent-encoding or UTF-8, a NUL, or more than {@link MAX_PARAMETERS} parameters. */
  readonly malformed: boolean;

  constructor(values: Map<string, string>, repeated: ReadonlySet<string>, malformed: boolean) {
    this.values = values;
    this.repeated = repeated;
    this.malformed = malformed;
  }

  /** @returns the value; undefined for an empty one. */
  get(name: string): string | undefined {
    return this.values.get(name) || undefined;
  }
}

const MAX_PARAMETERS = 1000;
const MAX_SHARED_LENGTH = 4096;

const NO_PARAMETERS = new Parameters(new Map(), new Set(), false);

/** @returns the part, copied from a long string: V8 keeps a whole string in memory while a part of it is in use. */
export function partOf(whole: string, part: string): string {
  return whole.length > MAX_SHARED_LENGTH ? Buffer.from(part).toString() : part;
}

/** @returns the parameters of encoded strings; a name in two of them counts as repeated. */
export function parseParameters(...sources: readonly string[]): Parameters {
  const encoded = sources.join('&');
  if (encoded === '') return NO_PARAMETERS;
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  const pairs = encoded.split('&', MAX_PARAMETERS + 1);
  let malformed = pairs.length > MAX_PARAMETERS;
  for (const pair of pairs) {
    if (pair === '') continue;
    const own = partOf(encoded, pair);
    const equals = own.indexOf('=');
    const name = formDecode(equals < 0 ? own : own.slice(0, equals));
    const value = formDecode(equals < 0 ? '' : own.slice(equals + 1));
    if (name === undefined || value === undefined) malformed = true;
    else if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return new Parameters(values, repeated, malformed);
}

/** @returns the decoded string, or undefined when it is not well-formed. */
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
