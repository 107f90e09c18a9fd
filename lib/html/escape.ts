const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** @returns the value as text that is inert in HTML, between tags and in a quoted attribute alike. */
export function escapeHTML(value: unknown): string {
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Text that is HTML already. Made by {@link html} alone, so that nothing gets in unescaped. */
export class HTML {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What a {@link html} template takes. Nothing and `false` leave a gap, an array is joined, HTML stays, everything else is escaped. */
export type HTMLValue = HTML | string | number | false | null | undefined | readonly HTMLValue[];

/** A template of HTML that escapes by default. Attributes that take a value must be quoted. */
export function html(literals: TemplateStringsArray, ...inserts: readonly HTMLValue[]): HTML {
  return new HTML(literals.map((literal, index) => literal + inserted(inserts[index])).join(''));
}

function inserted(insert: HTMLValue): string {
  if (insert === undefined || insert === null || insert === false) return '';
  if (insert instanceof HTML) return insert.toString();
  if (Array.isArray(insert)) return insert.map(inserted).join('');
  return escapeHTML(insert);
}
