/** The form of one of the provider's pages. */
export interface PageForm {
  readonly action: string;
  /** The fields as the page fills them in. */
  readonly fields: URLSearchParams;
  /** The names of the checkboxes, none of them ticked. */
  readonly choices: readonly string[];
  readonly isConsent: boolean;
}

/** @returns the first form of a page of the provider, or undefined for a page without a form. */
export function readForm(page: string): PageForm | undefined {
  const [, action, form] = /<form method="post" action="([^"]*)">(.*?)<\/form>/s.exec(page) ?? [];
  if (action === undefined || form === undefined) return undefined;
  const fields = new URLSearchParams();
  for (const [, name, value] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)) {
    fields.append(unescapeHTML(name as string), unescapeHTML(value as string));
  }
  const checkboxes = form.matchAll(/<input type="checkbox" [^>]*name="([^"]*)" value="yes">/g);
  const choices = [...checkboxes].map(([, name]) => unescapeHTML(name as string));
  return { action: unescapeHTML(action), fields, choices, isConsent: form.includes('name="decision"') };
}

/** @returns the address of the first link to a path, with its query. */
export function findLink(page: string, path: string): string | undefined {
  const addresses = [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => unescapeHTML(href as string));
  return addresses.find((address) => address.split('?', 1)[0] === path);
}

/** @returns the alert of a page, or its heading with the paragraph below it. */
export function headline(page: string): string {
  const [, alert] = /role="alert">([^<]*)</.exec(page) ?? [];
  const [, title, detail] = /<h1>([^<]*)<\/h1>\s*(?:<p>([^<]*)<\/p>)?/.exec(page) ?? [];
  const heading = [title, detail].filter(Boolean).join(': ');
  return unescapeHTML(alert ?? (heading || page.slice(0, 200)));
}

/** Reverts the escaping of the provider's pages. */
function unescapeHTML(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&');
}
