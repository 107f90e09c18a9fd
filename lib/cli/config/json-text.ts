/** A value of JSON. */
export type JSONValue =
  | string
  | number
  | boolean
  | null
  | readonly JSONValue[]
  | { readonly [name: string]: JSONValue };

/** Where one value stands in the text, counted in characters; a member of an object has a name before it. */
export interface SourcePosition {
  readonly name: number | undefined;
  readonly value: number;
}

/** What is wrong in a text of JSON, and where. */
export class JSONSyntaxError extends Error {
  readonly at: number;

  constructor(at: number, sentence: string) {
    super(sentence);
    this.at = at;
  }
}

export interface JSONText {
  readonly value: JSONValue;
  /** By path: `clients[0].flow`; the whole text is `''`. */
  readonly places: ReadonlyMap<string, SourcePosition>;
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[\p{L}\p{N}_$.+-]+/uy;
const DEEPEST = 100;
const LITERALS: Readonly<Record<string, JSONValue>> = { true: true, false: false, null: null };

/** Reads JSON (RFC 8259) and keeps where everything stands. Throws a {@link JSONSyntaxError} that says what to do, and no value. */
export function readJSON(text: string): JSONText {
  const reader = new Reader(text);
  return { value: reader.readAll(), places: reader.places };
}

/** @returns the path of a member, or of an element of a list. */
export function pathTo(parent: string, step: string | number): string {
  if (typeof step === 'number') return `${parent}[${step}]`;
  return parent === '' ? step : `${parent}.${step}`;
}

class Reader {
  readonly places = new Map<string, SourcePosition>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\uFEFF')) this.#at = 1;
  }

  readAll(): JSONValue {
    this.#skipSpace();
    if (this.#at === this.#text.length) throw this.#fault('The file is empty: put at least {} into it.');
    const value = this.#value('', 0, undefined);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fault('Nothing may follow here: the value ended before this.');
    return value;
  }

  #value(path: string, depth: number, name: number | undefined): JSONValue {
    this.#skipSpace();
    if (depth > DEEPEST) throw this.#fault('This is nested too deeply.');
    this.places.set(path, { name, value: this.#at });
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(path, depth);
    if (first === '[') return this.#list(path, depth);
    if (first === '"') return this.#string();
    return this.#match(NUMBER, Number) ?? this.#literal();
  }

  #object(path: string, depth: number): JSONValue {
    const members = new Map<string, JSONValue>();
    this.#several('}', 'member', () => {
      const at = this.#at;
      const name = this.#name();
      const known = this.places.get(pathTo(path, name))?.name;
      if (members.has(name)) {
        throw new JSONSyntaxError(
          at,
          `"${name}" is given twice, the first time in line ${lineOf(this.#text, known ?? 0)}: keep one.`,
        );
      }
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') throw this.#fault(`A colon is missing after "${name}".`);
      this.#at += 1;
      members.set(name, this.#value(pathTo(path, name), depth + 1, at));
    });
    return Object.fromEntries(members);
  }

  #list(path: string, depth: number): JSONValue {
    const elements: JSONValue[] = [];
    this.#several(']', 'element', () => {
      elements.push(this.#value(pathTo(path, elements.length), depth + 1, undefined));
    });
    return elements;
  }

  /** Reads what stands between two brackets, with commas in between and none at the end. */
  #several(end: string, what: string, readOne: () => void): void {
    const start = this.#at;
    let comma: number | undefined;
    this.#at += 1;
    for (let count = 0; ; count += 1) {
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next === undefined) throw new JSONSyntaxError(start, `This is never closed: a ${end} is missing.`);
      if (next === end && comma !== undefined)
        throw new JSONSyntaxError(comma, `Take out this comma: no ${what} follows it.`);
      if (next === end) break;
      if (next === ',') throw this.#fault(`Take out this comma: no ${what} stands before it.`);
      if (count > 0 && comma === undefined) throw this.#fault(`A comma is missing before this ${what}, or a ${end}.`);
      readOne();
      this.#skipSpace();
      comma = this.#text[this.#at] === ',' ? this.#at : undefined;
      if (comma !== undefined) this.#at += 1;
    }
    this.#at += 1;
  }

  #name(): string {
    if (this.#text[this.#at] === '"') return this.#string();
    const word = this.#peek(WORD);
    if (word !== undefined) throw this.#fault(`Put double quotes around the name: "${word}".`);
    throw this.#fault('A name in double quotes belongs here.');
  }

  #string(): string {
    const start = this.#at;
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x5c) at += 1;
      else if (code === 0x22) return this.#stringTo(start, at + 1);
      else if (code === 0x0a || code === 0x0d) break;
      else if (code < 0x20) throw new JSONSyntaxError(at, 'This character has to be escaped: a tab is \\t.');
    }
    throw new JSONSyntaxError(
      start,
      'This text has no end in its line: close it with a double quote, and write a line break as \\n.',
    );
  }

  #stringTo(start: number, end: number): string {
    const raw = this.#text.slice(start, end);
    const wrong = /\\(?!["\\/bfnrt]|u[\dA-Fa-f]{4})/.exec(raw.replaceAll('\\\\', '  '));
    if (wrong)
      throw new JSONSyntaxError(
        start + wrong.index,
        'There is no such escape in JSON: a backslash itself is written \\\\.',
      );
    this.#at = end;
    return JSON.parse(raw) as string;
  }

  #literal(): JSONValue {
    const word = this.#peek(WORD) ?? '';
    if (Object.hasOwn(LITERALS, word)) {
      this.#at += word.length;
      return LITERALS[word] as JSONValue;
    }
    if (this.#text[this.#at] === undefined) throw this.#fault('The file ends where a value belongs.');
    throw this.#fault(
      'This is no value of JSON: that is a text in double quotes, a number, true, false, null, [ ... ] or { ... }.',
    );
  }

  #skipSpace(): void {
    this.#match(SPACE, () => undefined);
    const next = this.#text[this.#at];
    if (next === '/' || next === '#') throw this.#fault('JSON has no comments: take this one out.');
    if (next === "'") throw this.#fault('JSON takes double quotes: write " instead of \'.');
  }

  #peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #match<T>(pattern: RegExp, read: (found: string) => T): T | undefined {
    const found = this.#peek(pattern);
    if (found === undefined) return undefined;
    this.#at += found.length;
    return read(found);
  }

  #fault(sentence: string): JSONSyntaxError {
    return new JSONSyntaxError(this.#at, sentence);
  }
}

/** @returns the number of the line that a character stands in, from 1. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
