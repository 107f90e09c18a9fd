import { html, type Markup } from './html.js';

/** The logo of the pages; decoration, so hidden from screen readers. */
export const LOGO: Markup = html`<svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" focusable="false"><rect width="28" height="28" rx="9" class="logo-ground"/><path d="M12 7h4v5h5v4h-5v5h-4v-5H7v-4h5z" class="logo-sign"/></svg>`;

/** The logo as a file, for the tab of the browser. */
export const LOGO_FILE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><rect width="28" height="28" rx="9" fill="#0b6e74"/><path d="M12 7h4v5h5v4h-5v5h-4v-5H7v-4h5z" fill="#fff"/></svg>';
