/** A form of the provider's own pages, as it stands before anybody fills it in. */
export interface PageForm {
  action: string;
  fields: URLSearchParams;
  isConsent: boolean;
}

export function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&');
}

/** @returns the form on a page of the provider, or undefined when there is none to fill in. */
export function readForm(page: string): PageForm | undefined {
  const [, action] = /<form method="post" action="([^"]*)">/.exec(page) ?? [];
  if (action === undefined) return undefined;
  const fields = new URLSearchParams();
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)) {
    fields.append(unescaped(name as string), unescaped(value as string));
  }
  for (const [, name] of page.matchAll(/<input type="checkbox" [^>]*name="([^"]*)" value="yes" checked>/g)) {
    fields.append(unescaped(name as string), 'yes');
  }
  return { action: unescaped(action), fields, isConsent: page.includes('name="decision"') };
}

/** @returns what a page says first. */
export function headline(page: string): string {
  const [, alert] = /role="alert">([^<]*)</.exec(page) ?? [];
  const [, title] = /<h1>([^<]*)<\/h1>\s*(?:<p>([^<]*)<\/p>)?/.exec(page) ?? [];
  const [, detail] = /<h1>[^<]*<\/h1>\s*<p>([^<]*)<\/p>/.exec(page) ?? [];
  return unescaped(alert ?? [title, detail].filter(Boolean).join(': ') ?? page.slice(0, 200));
}
