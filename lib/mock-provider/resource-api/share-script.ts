import type { MockRequest } from '../http/request.js';
import { documentResponse, type ProviderResponse, staticDocument } from '../http/response.js';
import shareButton from '../pages/browser/share-button.js?text';
import type { ProviderInstance } from '../provider-instance.js';

const script = staticDocument(shareButton, {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'public, max-age=300',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
});

/** GET /share-button.js (decision 101): no cookies, the same bytes for everybody. */
export function shareScript(_house: ProviderInstance, { headers }: MockRequest): ProviderResponse {
  return documentResponse(script, headers['if-none-match']);
}
