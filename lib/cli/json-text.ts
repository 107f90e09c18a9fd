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
/** A string up to its end, or to the first character that may not be in it. */
const STRING = /"(?:[ !#-[\]-\u{10ffff}]+|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/uy;
const WORD = /[\p{L}\p{N}_$.+-]*/uy;
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const MAX_DEPTH = 100;

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

/**
 * Reads JSON as `JSON.parse()` does, whose errors have no position in some versions of Node, and contain a part of the text, which
 * may be a secret.
 */
class Reader {
  readonly positions = new Map<string, SourcePosition>();
  readonly #text: string;
  /** The offset of the next token. */
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\uFEFF') ? 1 : 0;
    this.#skip(0);
  }

  readAll(): JSONValue {
    if (this.#next === undefined) throw this.#error('The file is empty. Write at least {}.');
    const value = this.#value([], undefined);
    if (this.#next !== undefined) throw this.#error('Remove this: nothing may follow the value.');
    return value;
  }

  #value(path: Path, name: number | undefined): JSONValue {
    if (path.length > MAX_DEPTH)
      throw this.#error(`This is nested too deeply: at most ${MAX_DEPTH} levels are allowed.`);
    this.positions.set(key(path), { name, value: this.#at });
    if (this.#next === '{') return this.#object(path);
    if (this.#next === '[') return this.#array(path);
    if (this.#next === '"') return this.#string();
    if (this.#next === undefined) throw this.#error('The file ends where a value is missing.');
    const word = this.#match(WORD);
    if (LITERAL.test(word)) return this.#literal(word);
    throw this.#error(
      'This is not a JSON value. Write a string in double quotes, a number, true, false, null, [ ... ] or { ... }.',
    );
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
      if (this.#next !== ':') throw this.#error(`A colon is missing after "${name}".`);
      this.#skip(1);
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
    this.#skip(1);
    for (let isFirst = true; this.#next !== end || comma !== undefined; isFirst = false) {
      if (this.#next === undefined) throw new JSONSyntaxError(start, `A ${end} is missing: this is not closed.`);
      if (this.#next === end) throw new JSONSyntaxError(comma as number, `Remove this comma: no ${what} follows it.`);
      if (this.#next === ',') throw this.#error(`Remove this comma: no ${what} precedes it.`);
      if (!isFirst && comma === undefined) throw this.#error(`A comma is missing before this ${what}, or a ${end}.`);
      readOne();
      comma = this.#next === ',' ? this.#at : undefined;
      if (comma !== undefined) this.#skip(1);
    }
    this.#skip(1);
  }

  #name(): string {
    if (this.#next === '"') return this.#string();
    const word = this.#match(WORD);
    throw this.#error(
      word === '' ? 'Write a name in double quotes here.' : `Put double quotes around the name: "${word}".`,
    );
  }

  #string(): string {
    const text = this.#match(STRING);
    const end = this.#at + text.length;
    const next = this.#text[end];
    if (next === '"') return this.#literal(`${text}"`) as string;
    if (next === '\\') throw new JSONSyntaxError(end, 'JSON does not have this escape. Write a backslash as \\\\.');
    if (next !== undefined && next !== '\n' && next !== '\r')
      throw new JSONSyntaxError(end, 'Escape this character: a tab is \\t.');
    throw this.#error(
      'This string does not end in its line. Close it with a double quote, and write a line break as \\n.',
    );
  }

  #literal(text: string): JSONValue {
    this.#skip(text.length);
    return JSON.parse(text) as JSONValue;
  }

  /** The first character of the next token; undefined at the end. */
  get #next(): string | undefined {
    return this.#text[this.#at];
  }

  /** Continues after a token, and the space that follows it. */
  #skip(length: number): void {
    this.#at += length;
    this.#at += this.#match(SPACE).length;
    if (this.#next === '/' || this.#next === '#') throw this.#error('JSON has no comments. Remove this one.');
    if (this.#next === "'") throw this.#error('JSON has double quotes. Write " instead of \'.');
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? '';
  }

  #error(message: string): JSONSyntaxError {
    return new JSONSyntaxError(this.#at, message);
  }
}
