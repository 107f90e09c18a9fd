/** A value of JSON. */
type JSONValue = string | number | boolean | null | readonly JSONValue[] | { readonly [name: string]: JSONValue };

/** The offset of a value in the text, in characters; and of its name when it is a member of an object. */
interface SourcePosition {
  readonly name: number | undefined;
  readonly value: number;
}

/** Reports text that is not JSON. The message says what to change at the offset. */
export class JSONSyntaxError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Identifies a value by the names of members and the indexes of elements. */
type Path = readonly (string | number)[];

export interface JSONText {
  readonly value: JSONValue;
  positionOf(path: Path): SourcePosition | undefined;
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[\p{L}\p{N}_$.+-]+/uy;
const MAX_DEPTH = 100;
const LITERALS: Readonly<Record<string, JSONValue>> = { true: true, false: false, null: null };

/** Reads JSON (RFC 8259) and the position of each value. Throws a {@link JSONSyntaxError}, whose message contains no value. */
export function readJSON(text: string): JSONText {
  const reader = new Reader(text);
  return { value: reader.readAll(), positionOf: (path) => reader.positions.get(key(path)) };
}

/** @returns the line and the column of an offset, each from 1: `3:5`. */
export function lineAndColumn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `${lines.length}:${[...(lines.at(-1) as string)].length + 1}`;
}

function key(path: Path): string {
  return JSON.stringify(path);
}

class Reader {
  readonly positions = new Map<string, SourcePosition>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\uFEFF')) this.#at = 1;
  }

  readAll(): JSONValue {
    this.#skipSpace();
    if (this.#at === this.#text.length) throw this.#error('The file is empty. Write at least {}.');
    const value = this.#value([], undefined);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#error('Remove this: nothing may follow the value.');
    return value;
  }

  #value(path: Path, name: number | undefined): JSONValue {
    this.#skipSpace();
    if (path.length > MAX_DEPTH)
      throw this.#error(`This is nested too deeply: at most ${MAX_DEPTH} levels are allowed.`);
    this.positions.set(key(path), { name, value: this.#at });
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(path);
    if (first === '[') return this.#array(path);
    if (first === '"') return this.#string();
    return this.#match(NUMBER, Number) ?? this.#literal();
  }

  #object(path: Path): JSONValue {
    const members = new Map<string, JSONValue>();
    this.#items('}', 'member', () => {
      const at = this.#at;
      const name = this.#name();
      if (members.has(name)) {
        const first = lineAndColumn(this.#text, this.positions.get(key([...path, name]))?.name ?? 0);
        throw new JSONSyntaxError(at, `Remove this: "${name}" is already at ${first}.`);
      }
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') throw this.#error(`A colon is missing after "${name}".`);
      this.#at += 1;
      members.set(name, this.#value([...path, name], at));
    });
    return Object.fromEntries(members);
  }

  #array(path: Path): JSONValue {
    const elements: JSONValue[] = [];
    this.#items(']', 'element', () => {
      elements.push(this.#value([...path, elements.length], undefined));
    });
    return elements;
  }

  /** Reads the items between two brackets: separated by commas, without a comma at the end. */
  #items(end: string, what: string, readOne: () => void): void {
    const start = this.#at;
    let comma: number | undefined;
    this.#at += 1;
    for (let count = 0; ; count += 1) {
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next === undefined) throw new JSONSyntaxError(start, `A ${end} is missing: this is not closed.`);
      if (next === end && comma !== undefined)
        throw new JSONSyntaxError(comma, `Remove this comma: no ${what} follows it.`);
      if (next === end) break;
      if (next === ',') throw this.#error(`Remove this comma: no ${what} precedes it.`);
      if (count > 0 && comma === undefined) throw this.#error(`A comma is missing before this ${what}, or a ${end}.`);
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
    if (word !== undefined) throw this.#error(`Put double quotes around the name: "${word}".`);
    throw this.#error('Write a name in double quotes here.');
  }

  #string(): string {
    const start = this.#at;
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x5c) at += 1;
      else if (code === 0x22) return this.#stringTo(start, at + 1);
      else if (code === 0x0a || code === 0x0d) break;
      else if (code < 0x20) throw new JSONSyntaxError(at, 'Escape this character: a tab is \\t.');
    }
    throw new JSONSyntaxError(
      start,
      'This string does not end in its line. Close it with a double quote, and write a line break as \\n.',
    );
  }

  #stringTo(start: number, end: number): string {
    const raw = this.#text.slice(start, end);
    const wrong = /\\(?!["\\/bfnrt]|u[\dA-Fa-f]{4})/.exec(raw.replaceAll('\\\\', '  '));
    if (wrong)
      throw new JSONSyntaxError(start + wrong.index, 'JSON does not have this escape. Write a backslash as \\\\.');
    this.#at = end;
    return JSON.parse(raw) as string;
  }

  #literal(): JSONValue {
    const word = this.#peek(WORD) ?? '';
    if (Object.hasOwn(LITERALS, word)) {
      this.#at += word.length;
      return LITERALS[word] as JSONValue;
    }
    if (this.#text[this.#at] === undefined) throw this.#error('The file ends where a value is missing.');
    throw this.#error(
      'This is not a JSON value. Write a string in double quotes, a number, true, false, null, [ ... ] or { ... }.',
    );
  }

  #skipSpace(): void {
    this.#match(SPACE, () => undefined);
    const next = this.#text[this.#at];
    if (next === '/' || next === '#') throw this.#error('JSON has no comments. Remove this one.');
    if (next === "'") throw this.#error('JSON has double quotes. Write " instead of \'.');
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

  #error(message: string): JSONSyntaxError {
    return new JSONSyntaxError(this.#at, message);
  }
}
