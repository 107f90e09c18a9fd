const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
);

/** @returns what the form that posts to an address has in its hidden fields; undefined when the page has no such form. */
export function hiddenFieldsOf(page: string, action: URL, base: URL): URLSearchParams | undefined {
  for (const [, tag = '', content = ''] of page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)) {
    if (attributeOf(tag, 'method')?.toLowerCase() !== 'post') continue;
    if (new URL(attributeOf(tag, 'action') ?? '', base).pathname !== action.pathname) continue;
    const fields = new URLSearchParams();
    for (const [input] of content.matchAll(/<input\b[^>]*>/gi)) {
      const name = attributeOf(input, 'name');
      if (name && attributeOf(input, 'type')?.toLowerCase() === 'hidden') {
        fields.append(name, attributeOf(input, 'value') ?? '');
      }
    }
    return fields;
  }
  return undefined;
}

function attributeOf(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag);
  return (found?.[1] ?? found?.[2] ?? found?.[3])?.replaceAll(/&(#?\w+);/g, unescaped);
}

function unescaped(whole: string, word: string): string {
  const code = /^#(\d{1,6})$/.exec(word)?.[1] ?? /^#(x[\da-f]{1,5})$/i.exec(word)?.[1]?.replace(/^x/i, '0x');
  return code === undefined ? (NAMED.get(word) ?? whole) : String.fromCodePoint(Number(code));
}
