import type { Refusal } from './refusal.js';

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
  /** The row of the mock provider's decisions: `decision 24`. */
  readonly rule: string;
  /** Where the rule stands: an RFC's section, or a part of the service spec. */
  readonly source: string;
}

/** How many are kept: the newest. */
const LIMIT = 1000;

export class ProblemLog {
  readonly list: Problem[] = [];

  add(at: number, endpoint: string, clientID: string | undefined, refusal: Refusal): void {
    if (this.list.length >= LIMIT) this.list.shift();
    this.list.push({
      at,
      endpoint,
      ...(clientID !== undefined && { clientID }),
      error: refusal.error,
      reason: refusal.reason,
      rule: `decision ${refusal.decision}`,
      source: refusal.source,
    });
  }

  clear(): void {
    this.list.length = 0;
  }
}
