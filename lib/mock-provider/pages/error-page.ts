import { type Answer, jsonAnswer } from '../answer.js';
import type { Refusal } from '../refusal.js';
import type { MockRequest } from '../request.js';
import { html } from './html.js';
import { pageAnswer } from './page.js';

/** A refusal that is shown and never redirected; as JSON for whoever prefers it. */
export function errorAnswer(request: MockRequest, { error, description, status, reason }: Refusal): Answer {
  if (request.prefersJSON)
    return jsonAnswer(status, { error, error_description: description }, { 'Cache-Control': 'no-store' });
  const body = html`<h1>This request cannot be answered</h1><p>${reason}.</p><p class="soft">Error: <code>${error}</code></p>`;
  return pageAnswer({ title: 'This request cannot be answered', body, status });
}
