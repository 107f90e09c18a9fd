import type { Refusal } from '../protocol/refusal.js';
import type { RuleID } from '../protocol/rules.js';
import type { RecordedRequest } from './recorded-request.js';

/** The reason for one refused request, in `provider.problems`. */
export interface Problem {
  /** Milliseconds since the Unix epoch, by the provider's clock. */
  readonly at: number;
  /** The path of the endpoint that refused: `/oauth/token`. */
  readonly endpoint: string;
  readonly clientID?: string;
  /** The error code in the response. */
  readonly error: string;
  /** What the client did wrong. */
  readonly reason: string;
  /** The id of the rule, as the page "Rules and faults" lists it: `pkce-s256-only`. */
  readonly rule: RuleID;
  /** The section of an RFC, or the part of the service specification, that defines the rule. */
  readonly source: string;
  /** The value that the client sent and that is not registered: a redirect URI or a client_id. */
  readonly sent?: string;
  /** The registered values. */
  readonly registered?: readonly string[];
  /** What to change in the client; missing when the user denied the access. */
  readonly fix?: string;
  /** The number of the request in `provider.requests`. */
  readonly request: number;
  /** The number of the login in `provider.logins`, if the request belongs to one. */
  readonly login?: number;
}

const MAX_PROBLEMS = 1000;

export class ProblemLog {
  readonly list: Problem[] = [];

  add({ at, path, clientID, number, login }: RecordedRequest, refusal: Refusal): void {
    if (this.list.length >= MAX_PROBLEMS) this.list.shift();
    this.list.push({
      at,
      endpoint: path,
      ...(clientID !== undefined && { clientID }),
      error: refusal.error,
      reason: refusal.reason,
      rule: refusal.rule,
      source: refusal.source,
      ...refusal.mismatch,
      ...(refusal.fix !== undefined && { fix: refusal.fix }),
      request: number,
      ...(login !== undefined && { login }),
    });
  }

  clear(): void {
    this.list.length = 0;
  }
}
