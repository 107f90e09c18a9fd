const NAMED_CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
);

/** A form of a page with `method="post"`. */
interface PostForm {
  action: URL;
  /** The hidden fields. */
  fields: URLSearchParams;
}

/** @returns the hidden fields of the form on a page that posts to this URL; undefined when there is no such form. */
export function hiddenFieldsOf(page: string, action: URL, base: URL): URLSearchParams | undefined {
  return postFormsOf(page, base).find((form) => form.action.pathname === action.pathname)?.fields;
}

function postFormsOf(page: string, base: URL): PostForm[] {
  const forms: PostForm[] = [];
  for (const [, tag = '', content = ''] of page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)) {
    if (attributeOf(tag, 'method')?.toLowerCase() !== 'post') continue;
    const fields = new URLSearchParams();
    for (const [input] of content.matchAll(/<input\b[^>]*>/gi)) {
      const name = attributeOf(input, 'name');
      if (name && attributeOf(input, 'type')?.toLowerCase() === 'hidden') {
        fields.append(name, attributeOf(input, 'value') ?? '');
      }
    }
    forms.push({ action: new URL(attributeOf(tag, 'action') ?? '', base), fields });
  }
  return forms;
}

function attributeOf(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag);
  return (match?.[1] ?? match?.[2] ?? match?.[3])?.replaceAll(/&(#?\w+);/g, decodeCharacter);
}

/** Decodes one character reference of HTML. An unknown one remains as it is. */
function decodeCharacter(reference: string, name: string): string {
  const code = /^#(\d{1,6})$/.exec(name)?.[1] ?? /^#(x[\da-f]{1,5})$/i.exec(name)?.[1]?.replace(/^x/i, '0x');
  return code === undefined ? (NAMED_CHARACTERS.get(name) ?? reference) : String.fromCodePoint(Number(code));
}
