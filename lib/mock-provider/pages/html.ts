const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Markup that is safe as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insert = Markup | string | number | undefined | false | readonly Insert[];

function render(insert: Insert): string {
  if (insert instanceof Markup) return insert.text;
  if (Array.isArray(insert)) return insert.map(render).join('');
  if (insert === undefined || insert === false) return '';
  return String(insert)
    .replaceAll(/[&<>"'`]/g, (letter) => ESCAPES[letter] as string)
    .replaceAll('\0', '\uFFFD');
}

/** Markup with every insert escaped, unless it is markup itself. */
export function html(parts: TemplateStringsArray, ...inserts: Insert[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + render(inserts[index - 1]) + part));
}
