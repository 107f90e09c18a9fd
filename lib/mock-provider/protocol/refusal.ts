import { maskName } from '../http/masking.js';
import type { Parameters } from '../http/parameters.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
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

/** Refuses a request with the error code that OAuth has for most mistakes, and status 400. */
export function invalidRequest(rule: RuleID, description: string): Refusal {
  return new Refusal(rule, 'invalid_request', description);
}

/** Refuses a request with a status; its error code is the status if the endpoint has none. */
export function refuse(rule: RuleID, status: number, description: string, error: string = String(status)): Refusal {
  return new Refusal(rule, error, description, { status });
}

/** @returns the refusal of a request with a parameter that was sent more than once, if there is one. */
export function refuseRepeated({ repeated }: Parameters): Refusal | undefined {
  const [name] = repeated;
  if (name === undefined) return undefined;
  return invalidRequest('parameter-sent-once', `${maskName(name)} was sent more than once`);
}

/** A refusal with its response: a page, a redirect or JSON. */
export interface Refused {
  refusal: Refusal;
  response: ProviderResponse;
}

/** @returns a refusal as the JSON of OAuth. */
export function refusedAsJSON(refusal: Refusal, headers: Record<string, string> = {}): Refused {
  const { error, description, status } = refusal;
  const body = { error, error_description: description };
  return { refusal, response: jsonResponse(status, body, { 'Cache-Control': 'no-store', ...headers }) };
}

const MAX_TEXT = 200;

/** @returns a text as error_description may contain it (RFC 6749 section 4.1.2.1). */
function sanitizeDescription(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?');
}

/** @returns the refusal of a blacklisted application, whose connection is closed (service spec: errors). */
export function refuseBlacklisted(): Refused {
  const description = 'This application is blacklisted';
  const refusal = refuse('blacklisted-client-no-response', 403, description, 'access_denied');
  return { refusal, response: { status: 403, headers: {}, body: '', connectionFault: 'reset' } };
}
