import type { Refusal } from '../protocol/refusal.js';
import type { RuleID } from '../protocol/rules.js';
import type { RecordedRequest } from './recorded-request.js';

/** Why one request was refused: `provider.problems`. */
export interface Problem {
  /** When, by the provider's clock: milliseconds since the epoch. */
  readonly at: number;
  /** The path of the endpoint that refused: `/oauth/token`. */
  readonly endpoint: string;
  readonly clientID?: string;
  /** The error code that went on the wire. */
  readonly error: string;
  /** What the client did wrong, in a sentence. */
  readonly reason: string;
  /** The id of the rule, as docs/service-rules.md lists it: `pkce-s256-only`. */
  readonly rule: RuleID;
  /** Where the rule is defined: an RFC's section, or a part of the service spec. */
  readonly source: string;
  /** What to change in the client, where that is known. */
  readonly fix?: string;
  /** The number of the request in `provider.requests`. */
  readonly request: number;
  /** Which login it happened in, when that is known. */
  readonly login?: number;
}

/** How many are kept: the newest. */
const LIMIT = 1000;

export class ProblemLog {
  readonly list: Problem[] = [];

  add({ at, path, clientID, number, login }: RecordedRequest, refusal: Refusal): void {
    if (this.list.length >= LIMIT) this.list.shift();
    this.list.push({
      at,
      endpoint: path,
      ...(clientID !== undefined && { clientID }),
      error: refusal.error,
      reason: refusal.reason,
      rule: refusal.rule,
      source: refusal.source,
      ...(refusal.fix !== undefined && { fix: refusal.fix }),
      request: number,
      ...(login !== undefined && { login }),
    });
  }

  clear(): void {
    this.list.length = 0;
  }
}
