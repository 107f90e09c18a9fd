import { createHash } from 'node:crypto';
import script from './browser/pages.js?text';
import { HTML } from './escape.js';

/** The script of this package's pages, for the end of their body. At a URL, HTML of a user could load it in a page of the site. */
export const PAGE_SCRIPT: HTML = new HTML(`<script>${script}</script>`);

/** The source expression of {@link PAGE_SCRIPT} in a Content-Security-Policy. */
export const PAGE_SCRIPT_SOURCE: string = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
