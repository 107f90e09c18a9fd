import { SYMBOL } from '../../symbol.js';
import { html, type Markup } from './html.js';

/** The logo of the pages; decoration, so hidden from screen readers. */
export const LOGO: Markup = html`<svg xmlns="http://www.w3.org/2000/svg" width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><rect width="32" height="32" rx="7" fill="#0b5c73"/><path transform="translate(4 4)" d="${SYMBOL}" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
