import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';
import { refusalJSON } from './error-page.js';
import { html } from './html.js';
import { pageResponse } from './page.js';

/**
 * For a form that was sent before, too late, or from another browser (decision 39): what happened, and what to do now.
 * @param goOn where it can go on in this browser, when it can
 */
export function staleResponse(http: MockRequest, refusal: Refusal, goOn?: string): ProviderResponse {
  if (http.prefersJSON) return refusalJSON(refusal);
  const title = goOn === undefined ? 'This page is no longer in use' : 'This was not sent';
  const text =
    goOn === undefined
      ? html`<p>The sign-in that it belongs to was finished before, took too long, or was started in another browser.</p>
<p>Nothing was sent. Please go back to the application and start once more from there.</p>`
      : html`<p>You came back to a page that was sent before, or that was open for too long. Nothing was sent again, and nothing is lost.</p>
<p><a class="button" href="${goOn}" autofocus>Go on from here</a></p>`;
  return pageResponse({ title, body: html`<h1>${title}</h1>${text}`, status: refusal.status });
}
