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

/** Text that is already HTML. Only {@link html} creates it, so that no value gets in unescaped. */
export class HTML {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** A value in an {@link html} template: nothing and `false` are left out, arrays joined, HTML kept, all else escaped. */
export type HTMLValue = HTML | string | number | false | null | undefined | readonly HTMLValue[];

/** A template of HTML that escapes its values. Attributes that take a value must be quoted. */
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
 * Returns the address if it is a path of this site or an absolute http(s) URL, else the fallback: no link leads to
 * `javascript:`, and none that looks like a path leads to another host (`//host`). The URL parser decides, as in a browser.
 */
export function linkTarget(address: string | undefined, fallback = '/'): string {
  return address !== undefined && (isWebAddress(address) || isPath(address)) ? address : fallback;
}

/** Tells whether an address is an absolute http(s) URL. */
export function isWebAddress(address: string | undefined): address is string {
  return address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address);
}

function isPath(address: string): boolean {
  return !URL.canParse(address) && URL.canParse(address, BASE) && new URL(address, BASE).origin === BASE;
}
