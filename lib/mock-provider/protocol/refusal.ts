import type { ProviderResponse } from '../http/response.js';
import { type RuleID, SERVICE_RULES } from './rules.js';

/** A value that a client sent and that is not registered, and the registered ones. Secrets are masked. */
interface Mismatch {
  readonly sent: string;
  readonly registered: readonly string[];
}

/** Why a request was refused: what the client receives, and what `provider.problems` shows to its developer. */
export class Refusal {
  readonly rule: RuleID;
  /** The OAuth error code, or the HTTP status if there is none. */
  readonly error: string;
  /** Sent to the client, in the characters that error_description allows. */
  readonly description: string;
  /** For `provider.problems`: what the client did wrong, without secrets. */
  readonly reason: string;
  readonly status: number;
  /** The value that is not registered, for the developer. */
  readonly mismatch: Mismatch | undefined;

  /** @param details `reason`: what differs from the description for the developer; `status`: 400 by default */
  constructor(
    rule: RuleID,
    error: string,
    description: string,
    details: { reason?: string | undefined; status?: number; mismatch?: Mismatch } = {},
  ) {
    this.rule = rule;
    this.error = error;
    this.description = sanitizeDescription(description);
    this.reason = details.reason ?? description;
    this.status = details.status ?? 400;
    this.mismatch = details.mismatch;
  }

  /** Where the rule is defined. */
  get source(): string {
    return SERVICE_RULES[this.rule].source;
  }

  /** What the client's developer changes; undefined when the user denied the access. */
  get fix(): string | undefined {
    return SERVICE_RULES[this.rule].fix;
  }
}

/** A refusal with its response: a page, a redirect or JSON. */
export interface Refused {
  refusal: Refusal;
  response: ProviderResponse;
}

const MAX_TEXT = 200;

/** @returns a text as error_description may contain it (RFC 6749 section 4.1.2.1). */
function sanitizeDescription(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?');
}

/** @returns the refusal of a blacklisted application, whose connection is closed (service spec: errors). */
export function refuseBlacklisted(): Refused {
  const description = 'This application is blacklisted';
  const refusal = new Refusal('blacklisted-client-no-response', 'access_denied', description, { status: 403 });
  return { refusal, response: { status: 403, headers: {}, body: '', connectionFault: 'reset' } };
}
