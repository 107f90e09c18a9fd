import { type HTML, html } from './escape.js';

/** The neutral mark: a stethoscope, drawn for this package. Decoration only, so hidden from screen readers. */
export function logo(size: number): HTML {
  return html`<svg class="clinician-mark" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><path d="M6 3H4v6a5 5 0 0 0 10 0V3h-2"/><path d="M9 14v2a5 5 0 0 0 10 0v-3"/><circle cx="19" cy="11" r="2"/></svg>`;
}
