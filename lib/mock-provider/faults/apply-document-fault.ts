import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import type { ProviderInstance } from '../provider-instance.js';
import { DOCUMENT_FAULTS } from './document-faults.js';
import type { DocumentFaultName } from './fault-names.js';

/** @returns a document, spoilt and not to be kept, in place of the good one, when a fault waits for it. */
export function applyDocumentFault(
  { faults }: ProviderInstance,
  http: MockRequest,
  make: () => unknown,
): ProviderResponse | undefined {
  const matched = faults.take('document', { http, endpoint: http.path, client: undefined });
  if (matched === undefined) return undefined;
  const altered = DOCUMENT_FAULTS[matched.name as DocumentFaultName].apply(make() as Record<string, unknown>);
  return jsonResponse(200, altered, { 'Cache-Control': 'no-store' });
}
