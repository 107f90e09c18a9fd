import { createHash } from 'node:crypto';
import script from './browser/pages.js?text';
import { HTML } from './escape.js';

/** A script of this package's pages. */
export interface PageScript {
  /** For the end of the body. At a URL, HTML of a user could load it in a page of the site. */
  readonly element: HTML;
  /** Its source expression in a Content-Security-Policy. */
  readonly source: string;
}

/** @param text a browser script that is embedded as text */
export function pageScript(text: string): PageScript {
  const digest = createHash('sha256').update(text).digest('base64');
  return { element: new HTML(`<script>${text}</script>`), source: `'sha256-${digest}'` };
}

/** The script of the pages with a form that is sent at once, a time, or a link back. */
export const PAGE_SCRIPT: PageScript = pageScript(script);
