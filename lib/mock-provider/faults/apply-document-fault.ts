import type { MockRequest } from '../http/request.js';
import { type Answer, jsonAnswer } from '../http/response.js';
import type { House } from '../provider-instance.js';
import { DOCUMENT_FAULTS } from './document-faults.js';
import type { DocumentFaultName } from './fault-names.js';

/** @returns a document, spoilt and not to be kept, in place of the good one, when a fault waits for it. */
export function strikeDocument({ faults }: House, http: MockRequest, make: () => unknown): Answer | undefined {
  const struck = faults.strike('document', { http, endpoint: http.path, client: undefined });
  if (struck === undefined) return undefined;
  const spoilt = DOCUMENT_FAULTS[struck.name as DocumentFaultName].act(make() as Record<string, unknown>);
  return jsonAnswer(200, spoilt, { 'Cache-Control': 'no-store' });
}
