import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';
import { html } from './html.js';
import { pageResponse } from './page.js';

const TITLE = 'Invalid request';

/** A refusal as JSON, for a client that prefers it to a page. */
export function refusalJSON({ error, description, status }: Refusal): ProviderResponse {
  return jsonResponse(status, { error, error_description: description }, { 'Cache-Control': 'no-store' });
}

/** A refusal that is shown and never redirected, as a page or as JSON. */
export function errorResponse(request: MockRequest, refusal: Refusal): ProviderResponse {
  if (request.prefersJSON) return refusalJSON(refusal);
  const { error, reason, rule, source, status } = refusal;
  const body = html`<h1>${TITLE}</h1>
<p>${reason}.</p>
<p class="soft">The application's developers must fix this. No data of yours was shared. Close this page or go back.</p>
<dl><div><dt>Error</dt><dd><code>${error}</code></dd></div><div><dt>Rule</dt><dd><code>${rule}</code></dd></div><div><dt>Source</dt><dd>${source}</dd></div></dl>`;
  return pageResponse({ title: TITLE, body, status });
}
