import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';
import { html } from './html.js';
import { pageAnswer } from './page.js';

const TITLE = 'This request cannot be answered';

/** A refusal as JSON, for whoever prefers that to a page. */
export function refusalAsJSON({ error, description, status }: Refusal): ProviderResponse {
  return jsonResponse(status, { error, error_description: description }, { 'Cache-Control': 'no-store' });
}

/** A refusal that is shown and never redirected; as JSON for whoever prefers it. */
export function errorAnswer(request: MockRequest, refusal: Refusal): ProviderResponse {
  if (request.prefersJSON) return refusalAsJSON(refusal);
  const { error, reason, decision, source, status } = refusal;
  const body = html`<h1>${TITLE}</h1>
<p>${reason}.</p>
<p class="soft">That is for the builders of the application to set right. Nothing of yours was shared: you can close this page, or go back.</p>
<dl><div><dt>Error</dt><dd><code>${error}</code></dd></div><div><dt>Rule</dt><dd>${source}</dd></div><div><dt>Decision</dt><dd>${decision}</dd></div></dl>`;
  return pageAnswer({ title: TITLE, body, status });
}
