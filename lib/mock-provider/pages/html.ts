const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escaped markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HTMLValue = Markup | string | number | undefined | false | readonly HTMLValue[];

function render(value: HTMLValue): string {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === undefined || value === false) return '';
  return String(value)
    .replaceAll(/[&<>"'`]/g, (letter) => ESCAPES[letter] as string)
    .replaceAll('\0', '\uFFFD');
}

/** Escapes every value that is not markup. */
export function html(parts: TemplateStringsArray, ...values: HTMLValue[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

const MAX_LENGTH = 120;

/** Shortens a text from a client, so that a long one does not fill a page. */
export function truncate(text: string, maxLength: number = MAX_LENGTH): string {
  if (text.length <= maxLength) return text;
  const characters = [...text.slice(0, maxLength * 2)];
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}...` : text;
}
