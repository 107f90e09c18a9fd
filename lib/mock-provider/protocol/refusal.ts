import type { ProviderResponse } from '../http/response.js';

/** Why something was refused: what the client is told, and what `provider.problems` tells the developer. */
export class Refusal {
  /** The OAuth error code, or the HTTP status text where there is none. */
  readonly error: string;
  /** Goes on the wire: only %x20-21, %x23-5B, %x5D-7E (decision 6). */
  readonly description: string;
  /** For `provider.problems`: what the client did wrong, in the developer's words; never a secret. */
  readonly reason: string;
  readonly decision: number;
  readonly source: string;
  readonly status: number;

  constructor(error: string, description: string, details: RefusalDetails) {
    this.error = error;
    this.description = sanitizeDescription(description);
    this.reason = details.reason ?? description;
    this.decision = details.decision;
    this.source = details.source;
    this.status = details.status ?? 400;
  }
}

/** A refusal with the answer that it is given: a page, or a redirect. */
export interface Refused {
  refusal: Refusal;
  answer: ProviderResponse;
}

export interface RefusalDetails {
  decision: number;
  source: string;
  reason?: string | undefined;
  status?: number;
}

const MAX_TEXT = 200;

/** @returns a text as error_description may carry it (RFC 6749 section 4.1.2.1). */
export function sanitizeDescription(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?');
}
