const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a value for HTML text and for quoted attributes. */
export function escapeHTML(value: unknown): string {
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Escaped HTML. Only {@link html} creates it, so that every value in it is escaped. */
export class HTML {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * A value in an {@link html} template: nothing and `false` are left out, arrays joined, HTML inserted unchanged, all
 * else escaped.
 */
type HTMLValue = HTML | string | number | false | null | undefined | readonly HTMLValue[];

/** Creates HTML from a template and escapes its values. Attributes that take a value must be quoted. */
export function html(literals: TemplateStringsArray, ...values: readonly HTMLValue[]): HTML {
  return new HTML(literals.map((literal, index) => literal + render(values[index])).join(''));
}

function render(value: HTMLValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof HTML) return value.toString();
  if (Array.isArray(value)) return value.map(render).join('');
  return escapeHTML(value);
}

const BASE = 'https://relative.invalid';

/**
 * @returns the address if it is a path of this site or an absolute http(s) URL, else the fallback. This rejects `javascript:`,
 * and paths that a browser resolves to another host (`//host`).
 */
export function linkTarget(address: string | undefined, fallback = '/'): string {
  return address !== undefined && (isWebAddress(address) || isPath(address)) ? address : fallback;
}

export function isWebAddress(address: string | undefined): address is string {
  return address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address);
}

function isPath(address: string): boolean {
  return !URL.canParse(address) && URL.canParse(address, BASE) && new URL(address, BASE).origin === BASE;
}
